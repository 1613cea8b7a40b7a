import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { definePanels } from '../../src/actors/panel/panels.ts';
import { definePayment } from '../../src/actors/payment/definition.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import type { ActorEngine, Definition, JournalEntry } from '../../src/runtime/engine/types.ts';
import { journalLines } from '../../src/runtime/journal/rehearsal.ts';
import { memoryBlobs } from './debate.ts';
import { panelWorld, type RequestText } from './panel-world.ts';
import { beginWorld, inlineCall, jobCall, type Process } from './payment-world.ts';
import { type ScriptedCall, scriptedLlm } from './scripted-llm.ts';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', 'fixtures', 'journals');

/** Journals that are kept beside the tests, by name, with the runs that made them. */
export const RECORDINGS: Readonly<Record<string, () => Promise<readonly JournalEntry[]>>> = {
  'debate-decided': () => debate(steady),
  'debate-with-failures': () => debate(shaky),
  'debate-past-its-deadline': () => debate((call) => (call.n > 1 ? 'hang' : steady(call))),
  'payment-closed': () => payment(async () => undefined),
  'payment-of-a-job': () => payment(async () => undefined, true),
  'payment-refused-by-the-chain': () =>
    payment(async ({ chain }) => {
      chain.faults.fates.push('refused');
    }),
};

/** Writes all recordings anew: `STOA_RECORD=1 npx vitest run test/runtime/journal/rehearse.test.ts`. */
export async function recordJournals(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, record] of Object.entries(RECORDINGS)) {
    const lines = (await record()).map((row) => `${JSON.stringify(row)}\n`);
    writeFileSync(fileOf(name), lines.join(''));
  }
}

/** Reads a recording. */
export function readRecording(name: string): AsyncIterable<JournalEntry> {
  return journalLines(readFileSync(fileOf(name), 'utf8').split('\n'));
}

/** The present definition of a recording's kind; its effects are never run. */
export function definitionOf(name: string): Definition {
  return name.startsWith('debate')
    ? kindOf('debate')
    : definePayment({ chain: {} as PaymentChain });
}

function kindOf(kind: string): Definition {
  const deps = { llm: scriptedLlm({ say: steady }), blobs: memoryBlobs() };
  const found = definePanels(deps).find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`there is no panel ${kind}`);
  return found;
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.jsonl`);
}

function steady(call: ScriptedCall) {
  const choice = ['gpt', 'claude', 'llama'].some((name) => call.modelId.includes(name))
    ? 'o1'
    : 'o2';
  return call.phase === 'vote' ? { ranking: [choice] } : { position: choice };
}

/** One seat answers nonsense, one fails now and then. */
function shaky(call: ScriptedCall) {
  if (call.modelId.includes('qwen')) return { text: 'no position at all' };
  if (call.modelId.includes('mistral') && call.n % 2 === 1)
    return { failure: 'overloaded' } as const;
  return steady(call);
}

async function debate(
  say: (call: ScriptedCall) => ReturnType<typeof shaky> | 'hang',
  request: RequestText = {},
): Promise<readonly JournalEntry[]> {
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start(request);
  await world.finish(jobId);
  return await rowsOf(world.engine, jobId);
}

async function payment(
  prepare: (world: Awaited<ReturnType<typeof beginWorld>>) => Promise<void>,
  isJob = false,
): Promise<readonly JournalEntry[]> {
  const world = await beginWorld();
  await prepare(world);
  const payload = await world.sign();
  const call = isJob ? jobCall(world, payload) : inlineCall(world, payload);
  const answer = world.payments.pay(call);
  await world.drive(answer);
  if (isJob) await finishErrand(world);
  const { rows } = await world.engine.list({ kind: 'payment' });
  return await rowsOf(world.engine, rows[0]?.id ?? '');
}

async function finishErrand({
  engine,
  ...world
}: Process & { clock: { advance(ms: number): Promise<void> } }) {
  await world.clock.advance(1_000);
  const { rows } = await engine.list({ kind: 'errand' });
  await engine.tell(rows[0]?.id ?? '', { type: 'CANCEL' });
  await world.clock.advance(60_000);
}

async function rowsOf(engine: ActorEngine, id: string): Promise<readonly JournalEntry[]> {
  const rows: JournalEntry[] = [];
  for await (const row of engine.journal(id)) rows.push(row);
  return rows;
}
