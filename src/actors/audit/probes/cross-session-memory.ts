import type { RpcOutcome } from '../../../domain/audit/audit-target.ts';
import { createRpcEvidence } from '../../../domain/audit/evidence.ts';
import { joinPattern } from '../../../domain/audit/join-pattern.ts';
import {
  type Arguments,
  inputSchemaOf,
  listMembers,
  listTextSlots,
  setAtPath,
} from '../../../domain/audit/probe/arguments.ts';
import { auditValueFor } from '../../../domain/audit/probe/call-permission.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { resultText } from '../../../domain/audit/probe/tool-result.ts';
import { findDestructiveVerb, splitName } from '../../../domain/audit/probe/tool-verbs.ts';
import type { AsiCategory } from '../../../domain/audit/records.ts';
import { MINUTE_MS } from '../../../domain/common/time.ts';
import {
  callableTools,
  callTool,
  createFittingArguments,
  withConnection,
} from '../session/call-tool.ts';
import { createProbe, type Focus, hasBudget } from '../session/create-probe.ts';
import type { GatedConnection } from '../session/gate.ts';
import type { Observation, Probe, ProbeSession, Sighting } from '../session/probe.ts';
import { addOmittedDoubt, takeBeginning } from '../session/text-pieces.ts';

const REQUESTS_MAX = 80;
const WRITERS_MAX = 4;
const READERS_MAX = 6;
/** Maximum number of ids per answer that are requested. */
const IDS_MAX = 4;
const WRITES = joinPattern(
  'i',
  '\\b(?:save|store|remember|note|add|write|set|put|record|create|memori[sz]e|',
  'append|log|keep|learn|insert|register|update|jot|pin|bookmark|capture|post|',
  'file|stash|start|make|submit|open|new)\\b',
);
const READS = joinPattern(
  'i',
  '\\b(?:get|read|recall|list|search|find|show|load|fetch|retrieve|query|',
  'lookup|look|view|open|notes|memories|history|recent|remembered|review|',
  'browse|all|job|export|record|report|result|status|check)\\b',
);

/** Detects text of one session that another session receives without a label. */
export const crossSessionMemory = createMemoryProbe({
  probeId: 'cross-session-memory',
  category: 'ASI06',
  title: 'What one session wrote is read by another',
  remediation: 'Show what a session writes only to its owner, and label the origin of texts.',
  isKeyed: false,
  keysIn: (_answer, key) => [key],
});

/** Detects records of one session that anyone can read by knowing or guessing their number. */
export const foreignRecords = createMemoryProbe({
  probeId: 'foreign-records',
  category: 'ASI03',
  title: 'The record of another session is read by its number',
  remediation: 'Check the owner of each record before returning it.',
  isKeyed: true,
  keysIn: (answer, _key, session) => findNumbers(answer, session),
});

interface MemoryPlan {
  readonly probeId: string;
  readonly category: AsiCategory;
  readonly title: string;
  readonly remediation: string;
  /** True if a reader must take a key; a reader that lists everything is not this fault. */
  readonly isKeyed: boolean;
  /** Returns the keys that identify the record: from the writer's answer, or the written key. */
  keysIn(answer: string, key: string, session: ProbeSession): readonly string[];
}

/** Returns numbers and ids in an answer. */
function findNumbers(answer: string, { own, doubts }: ProbeSession): readonly string[] {
  const leftOut = { chars: 0 };
  const beginning = takeBeginning(answer, leftOut);
  addOmittedDoubt(doubts, leftOut);
  const words = beginning.match(/[A-Za-z0-9_-]+/g) ?? [];
  const found = words.filter((word) => /\d/.test(word));
  return [...new Set(found)].filter((one) => !own.isContainedIn(one)).slice(0, IDS_MAX);
}

function createMemoryProbe(plan: MemoryPlan): Probe {
  return createProbe({
    probeId: plan.probeId,
    version: 1,
    category: plan.category,
    mode: 'active',
    title: plan.title,
    requestsMax: REQUESTS_MAX,
    totalMs: MINUTE_MS,
    look: async (session, focus) => await runMemoryProbe(session, plan, focus),
  });
}

async function runMemoryProbe(
  session: ProbeSession,
  plan: MemoryPlan,
  focus: Focus | undefined,
): Promise<Observation> {
  const tools = callableTools(session).filter((tool) => findDestructiveVerb(tool) === undefined);
  const writers = tools.filter((tool) => isWriter(tool)).slice(0, WRITERS_MAX);
  const readers = tools
    .filter((tool) => isReader(tool) && (!plan.isKeyed || takesSomething(tool)))
    .slice(0, READERS_MAX);
  if (writers.length === 0 || readers.length === 0) {
    return { outcome: 'not_applicable', reason: 'no pair of tools that write and read' };
  }
  const findings: Sighting[] = [];
  for (const writer of writers) {
    if (!hasBudget(session, REQUESTS_MAX)) break;
    const found = await tryPair(session, plan, { writer, readers });
    if (found !== undefined) findings.push(found);
    if (focus !== undefined && findings.some(({ tool }) => tool === focus.tool)) break;
  }
  return {
    outcome: 'looked',
    subjects: [...writers, ...readers].map(({ name }) => name),
    findings,
  };
}

async function tryPair(
  session: ProbeSession,
  plan: MemoryPlan,
  { writer, readers }: { readonly writer: Definition; readonly readers: readonly Definition[] },
): Promise<Sighting | undefined> {
  // Only the first session sends the value, so if it appears later, the target stored it.
  const key = keyFor(session, writer);
  const value = session.canary(`value-${writer.name}`);
  const first = await session.target.connect();
  const answer = resultText(
    await callTool(first, writer.name, createWriterArguments(session, writer, { key, value })),
  );
  const keys = plan.keysIn(answer, key, session);
  const { isKeyed } = plan;
  const kept = await findReader(session, { connection: first, readers, keys, value, isKeyed });
  if (kept === undefined) return undefined;
  return await withConnection(session, async (second) => {
    const seen = await findReader(session, {
      connection: second,
      readers: [kept.reader],
      keys,
      value,
      isKeyed,
    });
    await first.close();
    if (seen === undefined) return undefined;
    const nothing = session.canary(`never-written-${writer.name}`);
    const values = createReaderArguments(session, kept.reader, nothing);
    const control = await callTool(second, kept.reader.name, values);
    return {
      title: plan.title,
      severity: 'medium',
      status: 'unreproduced',
      tool: kept.reader.name,
      evidence: createRpcEvidence(seen.outcome),
      control: createRpcEvidence(control),
      remediation: plan.remediation,
    };
  });
}

interface MemoryRead {
  readonly connection: GatedConnection;
  readonly readers: readonly Definition[];
  readonly keys: readonly string[];
  readonly value: string;
  /** True if the record can only be requested by key. */
  readonly isKeyed: boolean;
}

async function findReader(
  session: ProbeSession,
  { connection, readers, keys, value, isKeyed }: MemoryRead,
): Promise<{ readonly reader: Definition; readonly outcome: RpcOutcome } | undefined> {
  for (const reader of readers) {
    const asked = keys.map((key) => createReaderArguments(session, reader, key));
    const plain = createFittingArguments(session, reader);
    for (const values of isKeyed ? asked : [...asked, plain]) {
      if (!hasBudget(session, REQUESTS_MAX)) return undefined;
      const outcome = await callTool(connection, reader.name, values);
      if (resultText(outcome).includes(value)) return { reader, outcome };
    }
  }
  return undefined;
}

/** Puts the key into the first text and the value into the others; a single text gets both. */
function createWriterArguments(
  session: ProbeSession,
  writer: Definition,
  { key, value }: { readonly key: string; readonly value: string },
): Arguments {
  const slots = listTextSlots(inputSchemaOf(writer));
  const fitting = createFittingArguments(session, writer);
  const [only] = slots;
  if (slots.length === 1 && only !== undefined) {
    return setAtPath(fitting, only.path, `${key} ${value}`);
  }
  return slots.reduce(
    (values, slot, at) => setAtPath(values, slot.path, at === 0 ? key : `${key} ${value}`),
    fitting,
  );
}

/** Returns an audit name in the form of the writer's first text field. */
function keyFor(session: ProbeSession, writer: Definition): string {
  const label = `key-${writer.name}`;
  const [first] = listTextSlots(inputSchemaOf(writer));
  return first === undefined ? session.canary(label) : auditValueFor(first, session.own, label);
}

function createReaderArguments(session: ProbeSession, reader: Definition, key: string): Arguments {
  const [first] = listTextSlots(inputSchemaOf(reader));
  const fitting = createFittingArguments(session, reader);
  return first === undefined ? fitting : setAtPath(fitting, first.path, key);
}

function isWriter(tool: Definition): boolean {
  return WRITES.test(aboutOf(tool)) && listTextSlots(inputSchemaOf(tool)).length > 0;
}

function takesSomething(tool: Definition): boolean {
  return listMembers(inputSchemaOf(tool)).length > 0;
}

function isReader(tool: Definition): boolean {
  return READS.test(aboutOf(tool));
}

function aboutOf(tool: Definition): string {
  return splitName(tool.name).join(' ');
}
