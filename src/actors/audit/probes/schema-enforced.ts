import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import {
  type Arguments,
  inputSchemaOf,
  isNumeric,
  listMembers,
  setAtPath,
  type TextSlot,
} from '../../../domain/audit/probe/arguments.ts';
import { CANARY_PREFIX } from '../../../domain/audit/probe/canary.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isSuccess } from '../../../domain/audit/probe/tool-result.ts';
import { booleanHints, findDestructiveVerb } from '../../../domain/audit/probe/tool-verbs.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  callableTools,
  callTool,
  createFittingArguments,
  TOOLS_CALLED_MAX,
  withConnection,
} from '../session/call-tool.ts';
import { createProbe, hasBudget } from '../session/create-probe.ts';
import type { GatedConnection } from '../session/gate.ts';
import type { ProbeSession, Sighting } from '../session/probe.ts';

const REQUESTS_MAX = 90;

/** Detects tools that accept arguments which violate their listed schema. */
export const schemaEnforced = createProbe({
  probeId: 'schema-enforced',
  version: 1,
  category: 'ASI02',
  mode: 'active',
  title: 'Arguments that break the listed schema are taken',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const tools = callableTools(session, focus).filter(isHarmless);
    if (tools.length === 0) {
      return { outcome: 'not_applicable', reason: 'no harmless tool accepts arguments' };
    }
    const findings: Sighting[] = [];
    const subjects: string[] = [];
    await withConnection(session, async (connection) => {
      for (const tool of tools.slice(0, TOOLS_CALLED_MAX)) {
        if (!hasBudget(session, REQUESTS_MAX)) break;
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
    booleanHints(tool)['destructiveHint'] === true || findDestructiveVerb(tool) !== undefined;
  return !isDestructive && listMembers(inputSchemaOf(tool)).length > 0;
}

async function tryTool(
  session: ProbeSession,
  connection: GatedConnection,
  tool: Definition,
): Promise<Sighting | undefined> {
  const fitting = createFittingArguments(session, tool);
  const control = await callTool(connection, tool.name, fitting);
  const tried = createViolations(tool, fitting).filter(({ values }) =>
    session.target.wouldSend(tool.name, values),
  );
  if (tried.length === 0) session.doubts.addTool(tool.name, 'no allowed call violates its schema');
  for (const { breach, values } of tried) {
    if (!hasBudget(session, REQUESTS_MAX)) return undefined;
    const outcome = await callTool(connection, tool.name, values);
    if (!isSuccess(outcome)) continue;
    return {
      title: 'Arguments that break the schema are taken',
      severity: 'medium',
      status: 'unreproduced',
      tool: tool.name,
      evidence: createRpcEvidence(outcome),
      control: createRpcEvidence(control),
      remediation: `Validate arguments against the listed schema first: ${breach}.`,
    };
  }
  return undefined;
}

interface SchemaViolation {
  readonly breach: string;
  readonly values: Arguments;
}

function createViolations(tool: Definition, fitting: Arguments): readonly SchemaViolation[] {
  const schema = inputSchemaOf(tool);
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
      const wrong = createInvalidValue(slot.schema);
      return wrong === undefined ? [] : [createViolation(slot, wrong, fitting)];
    });
  return [...missing, ...members];
}

function createViolation(slot: TextSlot, wrong: InvalidValue, fitting: Arguments): SchemaViolation {
  const name = slot.path.join('.');
  return { breach: `"${name}" ${wrong.why}`, values: setAtPath(fitting, slot.path, wrong.value) };
}

interface InvalidValue {
  readonly why: string;
  readonly value: unknown;
}

function createInvalidValue(schema: TextSlot['schema']): InvalidValue | undefined {
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
