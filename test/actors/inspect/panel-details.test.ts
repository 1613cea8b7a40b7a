import { expect, test } from 'vitest';
import type { ArbitrationDetails, CouncilDetails } from '../../../src/domain/inspect/details.ts';
import type { PanelFrame } from '../../../src/domain/inspect/wire.ts';
import type { ActorEngine } from '../../../src/runtime/engine/types.ts';
import { arbitrationWorld } from '../../support/arbitration-world.ts';
import { goodFacts, startCouncil, steady } from '../../support/council.ts';
import type { memoryBlobs } from '../../support/debate.ts';
import { inspectorOf, until, Watcher } from '../../support/inspected.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { realClock } from '../../support/real-clock.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';

interface Watched {
  readonly engine: ActorEngine;
  readonly blobs: ReturnType<typeof memoryBlobs>;
}

async function frameOf(parts: Watched, actorId = 'job_1'): Promise<PanelFrame> {
  const inspector = inspectorOf({ ...parts, pushClock: realClock });
  const watcher = await Watcher.on(inspector, { name: 'panel', actorId });
  await until(() => watcher.frames('panel').length > 0, 'a frame');
  watcher.end();
  const [frame] = watcher.frames('panel');
  if (frame === undefined) throw new Error('no frame');
  return frame;
}

const question = (role: string) =>
  role === 'CFO' ? [{ to: 'CISO', text: 'Is it encrypted?' }] : [];

test('a council tells its recomputed numbers, red lines and questions before it has voted', async () => {
  const script = steady({ questions: question });
  const llm = scriptedLlm({
    say: (call) => (call.phase === 'vote' ? 'hang' : script(call)),
  });
  const world = await panelWorld(llm);
  const facts = { ...goodFacts(), data: {}, stated: { tco_usd: '120000' } };
  const jobId = await startCouncil(world, { facts });
  for (let step = 0; step < 200 && llm.open() < 5; step += 1) await world.clock.advance(100);
  const frame = await frameOf(world.deps(), jobId);
  expect(frame).toMatchObject({ phase: 'vote', status: 'active', decision: null });
  const details = frame.details as CouncilDetails;
  expect(details).toMatchObject({ kind: 'council', vendor: 'Acme', adjusted: null });
  expect(details.facts).toMatchObject({
    tco_micro_usd: '140001500000',
    budget_left_micro_usd: '49998500000',
    wrong_numbers: [{ figure: 'tco', stated: '120000.00 USD' }],
  });
  expect(details.exchanges).toMatchObject([
    { from: 'CFO', to: 'CISO', question: 'Is it encrypted?', answer: 'CISO answers' },
  ]);
  expect(details.merged?.gaps.length).toBeGreaterThan(0);
  await world.engine.close();
});

test('a question is told as soon as it is asked', async () => {
  const script = steady({ questions: question });
  const llm = scriptedLlm({
    say: (call) => (call.phase === 'answer' ? 'hang' : script(call)),
  });
  const world = await panelWorld(llm);
  const jobId = await startCouncil(world);
  for (let step = 0; step < 200 && llm.open() < 1; step += 1) await world.clock.advance(100);
  const frame = await frameOf(world.deps(), jobId);
  expect(frame.phase).toBe('answer 1');
  expect(frame.details).toMatchObject({
    exchanges: [{ from: 'CFO', to: 'CISO', answer: null, is_supported: false }],
    merged: null,
  });
  await world.engine.close();
});

test('a council that red lines have changed tells what the ballots chose', async () => {
  const world = await panelWorld(scriptedLlm({ say: steady() }));
  const security = { ...goodFacts().security, mfa: false };
  const jobId = await startCouncil(world, { facts: { ...goodFacts(), security } });
  await world.finish(jobId);
  const { decision, details } = await frameOf(world.deps(), jobId);
  expect(decision).toMatchObject({ option: 'Approve with conditions', dissent: [] });
  expect(details).toMatchObject({
    adjusted: { from: 'Approve', why: ['red line CISO-01'] },
    redLines: { raised: [{ rule_id: 'CISO-01', role: 'CISO', raised_by: 'facts' }] },
    merged: { conditions: [{ rule_id: 'CISO-01', owner: 'CISO' }] },
  });
  await world.engine.close();
});

test('texts that are not kept any more are left out, and the rest is told', async () => {
  const world = await panelWorld(scriptedLlm({ say: steady() }));
  const jobId = await startCouncil(world);
  await world.finish(jobId);
  const context = await world.context(jobId);
  const gone = new Set([context.notes?.['fact_check']?.sha]);
  const blobs = {
    ...world.blobs,
    get: (sha: string) => (gone.has(sha) ? undefined : world.blobs.get(sha)),
  };
  const frame = await frameOf({ engine: world.engine, blobs: blobs as typeof world.blobs }, jobId);
  expect(frame.details).toMatchObject({ kind: 'council', facts: null, redLines: { raised: [] } });
  gone.add(context.input.briefSha);
  const bare = await frameOf({ engine: world.engine, blobs: blobs as typeof world.blobs }, jobId);
  expect(bare).toMatchObject({ question: 'The question is no longer stored.', details: null });
  await world.engine.close();
});

const FAMILIES = ['gpt', 'claude', 'llama'];
const EVIDENCE = 'The seventh chapter was never handed over.';

/** The second seat changes with the order of the sides. */
function judged({ phase, modelId }: ScriptedCall) {
  const isSwayed = modelId.includes('claude') && phase === 'vote';
  return { position: isSwayed ? 'upheld' : 'overturned', evidenceIds: ['C1'] };
}

test('in its window an arbitration tells who has handed in how much, and no hash or text', async () => {
  const made = await arbitrationWorld({ llm: scriptedLlm({ families: FAMILIES, say: judged }) });
  await made.begin();
  await made.give('buyer', { evidence: [{ text: EVIDENCE }] });
  const frame = await frameOf(made.deps());
  expect(frame).toMatchObject({ phase: 'evidence', deadlineAt: null, status: 'active' });
  expect(frame.phases).toEqual([
    ...['evidence', 'frozen', 'admissibility', 'review', 'vote', 'count', 'end'],
  ]);
  expect(frame.details).toMatchObject({
    claimant: { role: 'buyer', state: 'submitted' },
    respondent: { role: 'provider', state: 'awaiting' },
    windowEndsAt: frame.createdAt + 86_400_000,
    evidence: [{ evidenceId: 'C1', side: 'claimant', sha256: null, admitted: null }],
    frozen: null,
    passes: null,
    verdict: null,
  });
  expect(JSON.stringify(frame)).not.toContain('seventh chapter');
  await made.world.end();
});

test('what arbiters say and think is told from the count on, never before', async () => {
  const llm = scriptedLlm({
    families: FAMILIES,
    say: (call) =>
      call.phase === 'vote' && call.modelId.includes('llama') ? 'hang' : judged(call),
  });
  const made = await arbitrationWorld({ llm });
  await made.begin();
  await made.give('buyer', { evidence: [{ text: EVIDENCE }], is_last: true });
  await made.give('provider', { is_last: true });
  for (let step = 0; step < 200 && llm.open() < 1; step += 1) await made.world.clock.advance(100);
  const frame = await frameOf(made.deps());
  expect(frame).toMatchObject({ phase: 'vote', tally: null, decision: null });
  expect(frame.deadlineAt).toBeGreaterThan(frame.at);
  expect(frame.turns.map(({ text }) => text)).toEqual(Array<string>(5).fill(''));
  const details = frame.details as ArbitrationDetails;
  expect(details).toMatchObject({ passes: null, verdict: null });
  expect(details.frozen?.root).toMatch(/^[0-9a-f]{64}$/);
  expect(details.frozen?.ledger.map(({ evidenceId }) => evidenceId)).toContain('L1');
  expect(details.evidence).toMatchObject([
    { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), admitted: { is_admitted: true } },
  ]);
  expect(JSON.stringify(frame)).not.toContain('seventh chapter');
  await made.world.end();
});

test('a seat that changed with the order of the sides is told as a flip', async () => {
  const made = await arbitrationWorld({ llm: scriptedLlm({ families: FAMILIES, say: judged }) });
  await made.begin();
  await made.give('buyer', { evidence: [{ text: EVIDENCE }], is_last: true });
  await made.give('provider', { is_last: true });
  await made.world.clock.advance(20_000);
  const details = (await frameOf(made.deps())).details as ArbitrationDetails;
  expect(details.passes).toMatchObject([
    { seat: 'A', first: 'overturned', swapped: 'overturned', isFlip: false, evidenceIds: ['C1'] },
    { seat: 'B', first: 'overturned', swapped: 'upheld', isFlip: true },
    { seat: 'C', first: 'overturned', swapped: 'overturned', isFlip: false },
  ]);
  expect(details.verdict).toMatchObject({
    verdict: 'overturned',
    inFavourOf: 'buyer',
    votes: { upheld: 0, overturned: 2, flipped: 1, seats: 3 },
    payloadHash: expect.stringMatching(/^(0x)?[0-9a-f]{64}$/),
  });
  expect(details.arbiter).toBe('panel of the operator of this service');
  await made.world.end();
});

test('nothing of what an arbiter writes right now is told', async () => {
  const scripted = scriptedLlm({ families: FAMILIES, say: judged });
  const made = await arbitrationWorld({
    llm: {
      ...scripted,
      complete: async (request) => {
        request.onDelta?.('I lean towards the buyer.');
        return scripted.complete(request);
      },
    },
  });
  await made.begin();
  const inspector = inspectorOf({ ...made.deps(), pushClock: realClock });
  const watcher = await Watcher.on(inspector, { name: 'panel', actorId: 'job_1' });
  await made.give('buyer', { is_last: true });
  await made.give('provider', { is_last: true });
  await made.world.clock.advance(20_000);
  await until(() => watcher.frames('panel').at(-1)?.status === 'done', 'the end');
  expect(watcher.shown).toEqual([]);
  watcher.end();
  await made.world.end();
});
