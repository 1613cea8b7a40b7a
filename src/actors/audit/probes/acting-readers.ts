import { evidenceOf, outcomeText } from '../../../domain/audit/evidence.ts';
import { listMembers, schemaOf } from '../../../domain/audit/probe/arguments.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { answerText } from '../../../domain/audit/probe/tool-answer.ts';
import { hintsOf } from '../../../domain/audit/probe/tool-nature.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  callable,
  callTool,
  fittingArguments,
  readers,
  withConnection,
} from '../session/calling.ts';
import type { GatedConnection } from '../session/gate.ts';
import { type Focus, hasRoom, makeProbe } from '../session/make-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 70;
const GAUGES_MAX = 3;
const TOOLS_MAX = 10;

/**
 * Detects tools marked read-only that change state: the output of other tools is stable by itself
 * but differs after the call.
 */
export const actingReaders = makeProbe({
  probeId: 'acting-readers',
  version: 2,
  category: 'ASI09',
  mode: 'active',
  title: 'A tool that is said to only read changes something',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const gauges = readers(session).filter(isGauge).slice(0, GAUGES_MAX);
    const tools = suspects(session, focus, gauges);
    if (gauges.length === 0 || tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'no tool shows state that another could change' };
    }
    const findings: Sighting[] = [];
    await withConnection(session, async (connection) => {
      for (const tool of tools) {
        if (!hasRoom(session, REQUESTS_MAX - 3 * GAUGES_MAX)) break;
        const found = await tryTool({ session, connection, gauges }, tool);
        if (found !== undefined) findings.push(found);
      }
    });
    return { outcome: 'looked', subjects: tools.map(({ name }) => name), findings };
  },
});

interface Means {
  readonly session: ProbeSession;
  readonly connection: GatedConnection;
  readonly gauges: readonly Definition[];
}

async function tryTool(means: Means, tool: Definition): Promise<Sighting | undefined> {
  const before = await gauged(means);
  const still = await gauged(means);
  // Output that changes by itself, such as a clock, proves nothing.
  if (before !== still) return undefined;
  const values = fittingArguments(means.session, tool);
  const outcome = await callTool(means.connection, tool.name, values);
  const after = await gauged(means);
  if (after === before) return undefined;
  return {
    title: 'A tool that is said to only read changes something',
    severity: 'high',
    status: 'unreproduced',
    tool: tool.name,
    evidence: evidenceOf(outcome.sent, `${outcomeText(outcome)}\nafterwards: ${after}`),
    control: evidenceOf('output without the call, twice', `${before}\n${still}`),
    remediation: 'Set readOnlyHint only on tools that change nothing.',
  };
}

async function gauged({ connection, gauges }: Means): Promise<string> {
  const shown: string[] = [];
  for (const gauge of gauges) shown.push(answerText(await callTool(connection, gauge.name, {})));
  return shown.join('\n');
}

/** Returns whether a tool without arguments shows current state. */
function isGauge(tool: Definition): boolean {
  return listMembers(schemaOf(tool)).length === 0;
}

function suspects(
  session: ProbeSession,
  focus: Focus | undefined,
  gauges: readonly Definition[],
): readonly Definition[] {
  return callable(session, focus)
    .filter((tool) => hintsOf(tool)['readOnlyHint'] === true && !gauges.includes(tool))
    .slice(0, TOOLS_MAX);
}
