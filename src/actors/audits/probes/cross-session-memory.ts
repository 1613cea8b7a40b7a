import {
  type Arguments,
  sampleArguments,
  schemaOf,
  slotsOf,
  withValue,
} from '../../../domain/audit/arguments.ts';
import { rpcEvidence } from '../../../domain/audit/evidence.ts';
import { pattern } from '../../../domain/audit/pattern.ts';
import type { Definition } from '../../../domain/audit/recon.ts';
import { answerText } from '../../../domain/audit/tool-answer.ts';
import { destructiveWord, wordsOfName } from '../../../domain/audit/tool-nature.ts';
import type { RpcOutcome, TargetConnection } from '../../../domain/ports/audit-target.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import { callable, callTool, withConnection } from '../calling.ts';
import { hasRoom, makeProbe } from '../make-probe.ts';
import type { ProbeSession, Sighting } from '../probe.ts';

const REQUESTS_MAX = 80;
const WRITERS_MAX = 4;
const READERS_MAX = 6;
const WRITES = pattern(
  'i',
  '\\b(?:save|store|remember|note|add|write|set|put|record|create|memori[sz]e|',
  'append|log|keep|learn|insert|register|update|jot|pin|bookmark|capture|post|',
  'file|stash)\\b',
);
const READS = pattern(
  'i',
  '\\b(?:get|read|recall|list|search|find|show|load|fetch|retrieve|query|',
  'lookup|look|view|open|notes|memories|history|recent|remembered|review|',
  'browse|all)\\b',
);

/** Looks whether what one session leaves behind is given to another, unlabelled. */
export const crossSessionMemory = makeProbe({
  probeId: 'cross-session-memory',
  version: 1,
  category: 'ASI06',
  mode: 'active',
  title: 'What one session wrote is read by another',
  requestsMax: REQUESTS_MAX,
  totalMs: MINUTE_MS,
  look: async (session, focus) => {
    const tools = callable(session).filter((tool) => destructiveWord(tool) === undefined);
    const writers = tools.filter((tool) => isWriter(tool)).slice(0, WRITERS_MAX);
    const readers = tools.filter((tool) => isReader(tool)).slice(0, READERS_MAX);
    if (writers.length === 0 || readers.length === 0) {
      return { outcome: 'not_applicable', reason: 'no pair of tools writes and reads' };
    }
    const findings: Sighting[] = [];
    for (const writer of writers) {
      if (!hasRoom(session, REQUESTS_MAX)) break;
      const found = await tryPair(session, writer, readers);
      if (found !== undefined) findings.push(found);
      if (focus !== undefined && findings.some(({ tool }) => tool === focus.tool)) break;
    }
    return {
      outcome: 'looked',
      subjects: [...writers, ...readers].map(({ name }) => name),
      findings,
    };
  },
});

async function tryPair(
  session: ProbeSession,
  writer: Definition,
  readers: readonly Definition[],
): Promise<Sighting | undefined> {
  // The value is sent by the first session alone: where it stands afterwards, it was kept.
  const key = session.canary(`key-${writer.name}`);
  const value = session.canary(`value-${writer.name}`);
  const first = await session.target.connect();
  await callTool(first, writer.name, written(writer, key, value));
  const kept = await firstShowing(session, { connection: first, readers, key, value });
  if (kept === undefined) return undefined;
  return await withConnection(session, async (second) => {
    const seen = await firstShowing(session, {
      connection: second,
      readers: [kept.reader],
      key,
      value,
    });
    await first.close();
    if (seen === undefined) return undefined;
    const nothing = session.canary(`never-written-${writer.name}`);
    const control = await callTool(second, kept.reader.name, readArguments(kept.reader, nothing));
    return {
      title: 'What one session wrote is read by another',
      severity: 'medium',
      status: 'unreproduced',
      tool: kept.reader.name,
      evidence: rpcEvidence(seen.outcome),
      control: rpcEvidence(control),
      remediation: 'Keep what a session writes to its own owner, and say where a text comes from.',
    };
  });
}

interface Reading {
  readonly connection: TargetConnection;
  readonly readers: readonly Definition[];
  readonly key: string;
  readonly value: string;
}

async function firstShowing(
  session: ProbeSession,
  { connection, readers, key, value }: Reading,
): Promise<{ readonly reader: Definition; readonly outcome: RpcOutcome } | undefined> {
  for (const reader of readers) {
    for (const values of [readArguments(reader, key), sampleArguments(schemaOf(reader), key)]) {
      if (!hasRoom(session, REQUESTS_MAX)) return undefined;
      const outcome = await callTool(connection, reader.name, values);
      if (answerText(outcome).includes(value)) return { reader, outcome };
    }
  }
  return undefined;
}

/** The first text holds the key, all others the value; a single text holds both. */
function written(writer: Definition, key: string, value: string): Arguments {
  const schema = schemaOf(writer);
  const slots = slotsOf(schema);
  const fitting = sampleArguments(schema, value);
  const [only] = slots;
  if (slots.length === 1 && only !== undefined) {
    return withValue(fitting, only.path, `${key} ${value}`);
  }
  return slots.reduce(
    (values, slot, at) => withValue(values, slot.path, at === 0 ? key : `${key} ${value}`),
    fitting,
  );
}

function readArguments(reader: Definition, key: string): Arguments {
  const schema = schemaOf(reader);
  const [first] = slotsOf(schema);
  const fitting = sampleArguments(schema, key);
  return first === undefined ? fitting : withValue(fitting, first.path, key);
}

function isWriter(tool: Definition): boolean {
  return WRITES.test(aboutOf(tool)) && slotsOf(schemaOf(tool)).length > 0;
}

function isReader(tool: Definition): boolean {
  return READS.test(aboutOf(tool));
}

function aboutOf(tool: Definition): string {
  return wordsOfName(tool.name).join(' ');
}
