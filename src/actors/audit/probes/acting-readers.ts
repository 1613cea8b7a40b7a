import { createEvidence, formatOutcome } from '../../../domain/audit/evidence.ts';
import { inputSchemaOf, listMembers } from '../../../domain/audit/probe/arguments.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { resultText } from '../../../domain/audit/probe/tool-result.ts';
import { booleanHints } from '../../../domain/audit/probe/tool-verbs.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  callableTools,
  callTool,
  createFittingArguments,
  readOnlyTools,
  withConnection,
} from '../session/call-tool.ts';
import { createProbe, type Focus, hasBudget } from '../session/create-probe.ts';
import type { GatedConnection } from '../session/gate.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 70;
const GAUGES_MAX = 3;
const TOOLS_MAX = 10;

/**
 * Detects tools marked read-only that change state: the output of other tools is stable by itself
 * but differs after the call.
 */
export const actingReaders = createProbe({
  probeId: 'acting-readers',
  version: 2,
  category: 'ASI09',
  mode: 'active',
  title: 'A tool that is said to only read changes something',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const gauges = readOnlyTools(session).filter(isGauge).slice(0, GAUGES_MAX);
    const tools = suspectTools(session, focus, gauges);
    if (gauges.length === 0 || tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'no tool shows state that another could change' };
    }
    const findings: Sighting[] = [];
    await withConnection(session, async (connection) => {
      for (const tool of tools) {
        if (!hasBudget(session, REQUESTS_MAX - 3 * GAUGES_MAX)) break;
        const found = await tryTool({ session, connection, gauges }, tool);
        if (found !== undefined) findings.push(found);
      }
    });
    return { outcome: 'looked', subjects: tools.map(({ name }) => name), findings };
  },
});

interface ActingReaderDeps {
  readonly session: ProbeSession;
  readonly connection: GatedConnection;
  readonly gauges: readonly Definition[];
}

async function tryTool(means: ActingReaderDeps, tool: Definition): Promise<Sighting | undefined> {
  const before = await readGauges(means);
  const still = await readGauges(means);
  // Output that changes by itself, such as a clock, proves nothing.
  if (before !== still) return undefined;
  const values = createFittingArguments(means.session, tool);
  const outcome = await callTool(means.connection, tool.name, values);
  const after = await readGauges(means);
  if (after === before) return undefined;
  return {
    title: 'A tool that is said to only read changes something',
    severity: 'high',
    status: 'unreproduced',
    tool: tool.name,
    evidence: createEvidence(outcome.sent, `${formatOutcome(outcome)}\nafterwards: ${after}`),
    control: createEvidence('output without the call, twice', `${before}\n${still}`),
    remediation: 'Set readOnlyHint only on tools that change nothing.',
  };
}

async function readGauges({ connection, gauges }: ActingReaderDeps): Promise<string> {
  const shown: string[] = [];
  for (const gauge of gauges) shown.push(resultText(await callTool(connection, gauge.name, {})));
  return shown.join('\n');
}

/** Returns whether a tool without arguments shows current state. */
function isGauge(tool: Definition): boolean {
  return listMembers(inputSchemaOf(tool)).length === 0;
}

function suspectTools(
  session: ProbeSession,
  focus: Focus | undefined,
  gauges: readonly Definition[],
): readonly Definition[] {
  return callableTools(session, focus)
    .filter((tool) => booleanHints(tool)['readOnlyHint'] === true && !gauges.includes(tool))
    .slice(0, TOOLS_MAX);
}
