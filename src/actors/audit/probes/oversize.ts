import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createEvidence, formatOutcome } from '../../../domain/audit/evidence.ts';
import { inputSchemaOf, listMembers, setAtPath } from '../../../domain/audit/probe/arguments.ts';
import { isSuccess } from '../../../domain/audit/probe/tool-result.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import { findAims } from '../session/aims.ts';
import {
  callTool,
  createFittingArguments,
  readOnlyTools,
  withConnection,
} from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 24;
const TOOLS_MAX = 6;
/** Length of the oversized text in characters, below 1 MB for the whole request. */
const OVERSIZE_CHARS = 900_000;
const WORDS = { field: /./, tool: /./ };

/** Detects tools that process a text of almost 1 MB like an ordinary one. */
export const oversize = createProbe({
  probeId: 'oversize',
  version: 1,
  category: 'ASI08',
  mode: 'active',
  title: 'Huge arguments are worked on',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const aims = findAims(readOnlyTools(session, focus), WORDS, 100);
    const tools = [...new Set(aims.map(({ tool }) => tool))].slice(0, TOOLS_MAX);
    if (tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'no read-only tool accepts text' };
    }
    const findings: Sighting[] = [];
    const text = session.canary('oversize').padEnd(OVERSIZE_CHARS, 'a');
    await withConnection(session, async (connection) => {
      for (const tool of tools) {
        if (!hasBudget(session, REQUESTS_MAX)) break;
        const slot = aims.find((one) => one.tool === tool)?.slot;
        if (slot === undefined || listMembers(inputSchemaOf(tool)).length === 0) continue;
        const fitting = createFittingArguments(session, tool);
        const control = await callTool(connection, tool.name, fitting);
        const huge = setAtPath(fitting, slot.path, text);
        const outcome = await callTool(connection, tool.name, huge);
        if (!isSuccess(outcome)) continue;
        findings.push({
          title: `A text of ${OVERSIZE_CHARS} characters in "${slot.path.join('.')}" is worked on`,
          severity: 'medium',
          status: 'unreproduced',
          tool: tool.name,
          evidence: sizedEvidence(outcome),
          control: sizedEvidence(control),
          remediation: 'Limit the length of every text and the size of every request.',
        });
      }
    });
    return { outcome: 'looked', subjects: tools.map(({ name }) => name), findings };
  },
});

function sizedEvidence(outcome: RpcOutcome) {
  const said = formatOutcome(outcome);
  return createEvidence(outcome.sent, `${said.length} characters in ${outcome.ms} ms\n${said}`);
}
