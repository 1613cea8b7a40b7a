import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { evidenceOf, outcomeText } from '../../../domain/audit/evidence.ts';
import { listMembers, schemaOf, withValue } from '../../../domain/audit/probe/arguments.ts';
import { isDone } from '../../../domain/audit/probe/tool-answer.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { callTool, fittingArguments, readers, withConnection } from '../session/calling.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { Sighting } from '../session/probe.ts';
import { aimsOf } from '../session/slots.ts';

const REQUESTS_MAX = 24;
const TOOLS_MAX = 6;
/** Length of the oversized text in characters, below 1 MB for the whole request. */
const OVERSIZE_CHARS = 900_000;
const WORDS = { field: /./, tool: /./ };

/** Detects tools that process a text of almost 1 MB like an ordinary one. */
export const oversize = makeProbe({
  probeId: 'oversize',
  version: 1,
  category: 'ASI08',
  mode: 'active',
  title: 'Huge arguments are worked on',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const aims = aimsOf(readers(session, focus), WORDS, 100);
    const tools = [...new Set(aims.map(({ tool }) => tool))].slice(0, TOOLS_MAX);
    if (tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'no read-only tool accepts text' };
    }
    const findings: Sighting[] = [];
    const text = session.canary('oversize').padEnd(OVERSIZE_CHARS, 'a');
    await withConnection(session, async (connection) => {
      for (const tool of tools) {
        if (!hasRoom(session, REQUESTS_MAX)) break;
        const slot = aims.find((one) => one.tool === tool)?.slot;
        if (slot === undefined || listMembers(schemaOf(tool)).length === 0) continue;
        const fitting = fittingArguments(session, tool);
        const control = await callTool(connection, tool.name, fitting);
        const huge = withValue(fitting, slot.path, text);
        const outcome = await callTool(connection, tool.name, huge);
        if (!isDone(outcome)) continue;
        findings.push({
          title: `A text of ${OVERSIZE_CHARS} characters in "${slot.path.join('.')}" is worked on`,
          severity: 'medium',
          status: 'unreproduced',
          tool: tool.name,
          evidence: sized(outcome),
          control: sized(control),
          remediation: 'Limit the length of every text and the size of every request.',
        });
      }
    });
    return { outcome: 'looked', subjects: tools.map(({ name }) => name), findings };
  },
});

function sized(outcome: RpcOutcome) {
  const said = outcomeText(outcome);
  return evidenceOf(outcome.sent, `${said.length} characters in ${outcome.ms} ms\n${said}`);
}
