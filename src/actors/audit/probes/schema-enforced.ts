import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import {
  type Arguments,
  isNumeric,
  listMembers,
  type Slot,
  schemaOf,
  withValue,
} from '../../../domain/audit/probe/arguments.ts';
import { CANARY_PREFIX } from '../../../domain/audit/probe/canary.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isDone } from '../../../domain/audit/probe/tool-answer.ts';
import { destructiveWord, hintsOf } from '../../../domain/audit/probe/tool-nature.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  callable,
  callTool,
  fittingArguments,
  TOOLS_CALLED_MAX,
  withConnection,
} from '../session/calling.ts';
import type { GatedConnection } from '../session/gate.ts';
import { hasRoom, makeProbe } from '../session/make-probe.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 90;

/** Detects tools that accept arguments which violate their listed schema. */
export const schemaEnforced = makeProbe({
  probeId: 'schema-enforced',
  version: 1,
  category: 'ASI02',
  mode: 'active',
  title: 'Arguments that break the listed schema are taken',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const tools = callable(session, focus).filter(isHarmless);
    if (tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'no harmless tool accepts arguments' };
    }
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    await withConnection(session, async (connection) => {
      for (const tool of tools.slice(0, TOOLS_CALLED_MAX)) {
        if (!hasRoom(session, REQUESTS_MAX)) break;
        subjects.push(tool.name);
        const found = await tryTool(session, connection, tool);
        if (found !== undefined) findings.push(found);
      }
    });
    return { outcome: 'looked', subjects, findings };
  },
});

/** Returns whether a tool cannot cause loss, whatever it accepts. */
function isHarmless(tool: Definition): boolean {
  const isDestructive =
    hintsOf(tool)['destructiveHint'] === true || destructiveWord(tool) !== undefined;
  return !isDestructive && listMembers(schemaOf(tool)).length > 0;
}

async function tryTool(
  session: ProbeSession,
  connection: GatedConnection,
  tool: Definition,
): Promise<Sighting | undefined> {
  const fitting = fittingArguments(session, tool);
  const control = await callTool(connection, tool.name, fitting);
  const tried = breaches(tool, fitting).filter(({ values }) =>
    session.target.wouldSend(tool.name, values),
  );
  if (tried.length === 0) session.doubts.noteTool(tool.name, 'no allowed call violates its schema');
  for (const { breach, values } of tried) {
    if (!hasRoom(session, REQUESTS_MAX)) return undefined;
    const outcome = await callTool(connection, tool.name, values);
    if (!isDone(outcome)) continue;
    return {
      title: 'Arguments that break the schema are taken',
      severity: 'medium',
      status: 'unreproduced',
      tool: tool.name,
      evidence: rpcEvidence(outcome),
      control: rpcEvidence(control),
      remediation: `Validate arguments against the listed schema first: ${breach}.`,
    };
  }
  return undefined;
}

interface Breach {
  readonly breach: string;
  readonly values: Arguments;
}

function breaches(tool: Definition, fitting: Arguments): readonly Breach[] {
  const schema = schemaOf(tool);
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required
    .filter((name) => typeof name === 'string')
    .slice(0, 1)
    .map((name) => ({
      breach: 'a required field was missing',
      values: Object.fromEntries(Object.entries(fitting).filter(([key]) => key !== name)),
    }));
  const members = listMembers(schema)
    .slice(0, 6)
    .flatMap((slot) => {
      const wrong = wrongFor(slot.schema);
      return wrong === undefined ? [] : [breachOf(slot, wrong, fitting)];
    });
  return [...missing, ...members];
}

function breachOf(slot: Slot, wrong: Wrong, fitting: Arguments): Breach {
  const name = slot.path.join('.');
  return { breach: `"${name}" ${wrong.why}`, values: withValue(fitting, slot.path, wrong.value) };
}

interface Wrong {
  readonly why: string;
  readonly value: unknown;
}

function wrongFor(schema: Slot['schema']): Wrong | undefined {
  const { type, maximum, maxLength, enum: choices } = schema;
  if (Array.isArray(choices))
    return { why: 'was not one of the choices', value: `${CANARY_PREFIX}none` };
  if (typeof maximum === 'number') return { why: 'was above its maximum', value: maximum * 10 + 1 };
  if (isNumeric(schema)) return { why: 'was not a number', value: { stoa: [] } };
  if (typeof maxLength === 'number' && maxLength <= 10_000) {
    return { why: 'was longer than allowed', value: CANARY_PREFIX.padEnd(maxLength + 1, 'a') };
  }
  if (type === 'string') return { why: 'was not a string', value: { stoa: [7] } };
  if (type === 'boolean') return { why: 'was not a boolean', value: { stoa: [7] } };
  return undefined;
}
