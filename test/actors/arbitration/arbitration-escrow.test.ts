import { afterEach, describe, expect, test } from 'vitest';
import { createCaseProjector } from '../../../src/actors/arbitration/case-projector.ts';
import { VerdictRedelivery } from '../../../src/actors/arbitration/verdict-redelivery.ts';
import { readTranscript } from '../../../src/actors/panel/panel-state.ts';
import { cancelPanel } from '../../../src/actors/panel/panels.ts';
import { ArbitrationState } from '../../../src/domain/arbitration/result.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { canonicalJson } from '../../../src/domain/common/json.ts';
import { parseEventData } from '../../../src/domain/event/catalog.ts';
import { formatPanel } from '../../../src/tools/panel/panel-answer.ts';
import {
  type ArbitrationWorldOptions,
  arbitrationWorld,
  WALLETS,
} from '../../support/arbitration-world.ts';
import { readPanel } from '../../support/read-panel.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';
import { textOf } from '../../support/tool-answers.ts';

type Opened = Awaited<ReturnType<typeof arbitrationWorld>>;
const worlds: Opened[] = [];
afterEach(async () => {
  for (const { world } of worlds.splice(0)) await world.end();
});

async function opened(o: ArbitrationWorldOptions = {}): Promise<Opened> {
  const made = await arbitrationWorld(o);
  worlds.push(made);
  return made;
}

const LATE = { deliveredAtS: 3_000, fulfilByS: 2_000 };
const claims = [{ fact: 'delivered_in_time', value: 'false' }];
const FROM_BUYER = {
  evidence: [{ text: 'It came after the agreed time.', claims }],
  is_last: true,
};

async function resultOf(made: Opened) {
  await made.world.clock.advance(20_000);
  const state = ArbitrationState.parse(await readPanel(made.deps(), 'job_1'));
  if (state.result === undefined) throw new Error(`it is still in ${state.phase}`);
  return state.result;
}

const DAY_S = 86_400;
const nowS = (made: Opened) => Math.floor(made.world.clock.now() / 1_000);

describe('where the verdict decides the escrow,', () => {
  test('the other side has a day or more to be heard', async () => {
    const made = await opened();
    await expect(made.order({ window_s: DAY_S - 1 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      data: { path: 'window_s', received: DAY_S - 1, allowed: { least: DAY_S } },
    });
    await made.order({ window_s: DAY_S });
  });

  test('a dispute of any age can be judged: no time takes it from the judges', async () => {
    const made = await opened();
    const old = await opened({ job: { openedAtS: nowS(made) - 90 * DAY_S } });
    await old.order({ window_s: 5 * DAY_S });
  });

  test('where an old escrow refunds by time, the window ends two hours before', async () => {
    const made = await opened();
    const timed = { isRefundedByTime: true } as const;
    const late = await opened({ job: { ...timed, openedAtS: nowS(made) - 4 * DAY_S } });
    const most = 3 * DAY_S - 7_200;
    await expect(late.order({ window_s: most + 1 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      data: { allowed: { least: DAY_S, most } },
    });
    await late.order({ window_s: most });
    const tooLate = await opened({ job: { ...timed, openedAtS: nowS(made) - 6 * DAY_S } });
    await expect(tooLate.order()).rejects.toMatchObject({ code: 'DISPUTE_UNAVAILABLE' });
  });

  test('whoever pays does not choose the judges', async () => {
    const llm = scriptedLlm({ families: ['gpt', 'claude'], say: () => 'hang' });
    const made = await opened({ llm });
    for (const seats_by of ['rules', 'models'] as const) {
      await expect(made.order({ seats_by })).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        data: { path: 'seats_by', received: seats_by, allowed: ['auto'] },
      });
    }
    const settled = await opened({ llm, job: { state: 'released' } });
    const { input } = await settled.order({ seats_by: 'rules', window_s: 60 });
    expect(input).toMatchObject({ mode: 'rules_only' });
  });
});

describe('a verdict that decides the escrow', () => {
  test('the job is told the hash of what was signed', async () => {
    const made = await opened();
    await made.begin();
    await made.waiveAll();
    const { statement } = await resultOf(made);
    expect((await made.told()).job).toMatchObject([
      { verdictHash: `0x${statement?.payload_hash}` },
    ]);
  });

  test('a dispute that is settled by the end of the window leaves evidence only', async () => {
    const made = await opened();
    await made.begin();
    await made.world.engine.tell('board_1', { type: 'SETTLE' });
    await made.waiveAll();
    expect((await resultOf(made)).payload).toMatchObject({ effect: 'evidence_only' });
    expect((await made.told()).job).toEqual([]);
  });
});

describe('silence', () => {
  const nothing = { is_last: true };
  test.each([
    ['nobody hands anything in', {}],
    ['only the provider is heard', { provider: [{ evidence: [{ text: 'Pay me.' }] }] }],
    ['only the provider says that it has nothing to add', { provider: [nothing] }],
    ['only the buyer is heard', { buyer: [FROM_BUYER] }],
  ] as const)('decides nothing where %s: the money stays held', async (_case, given) => {
    for (const job of [{}, LATE]) {
      const made = await opened({ job });
      await made.begin();
      for (const [who, orders] of Object.entries(given)) {
        for (const order of orders) await made.give(who as keyof typeof WALLETS, order);
      }
      await made.endWindow();
      const { payload } = await resultOf(made);
      expect(payload).toMatchObject({
        effect: 'evidence_only',
        heard: { claimant: 'buyer' in given, respondent: 'provider' in given },
      });
      expect((await made.told()).job).toEqual([]);
      expect(textOf(formatPanel(await readPanel(made.deps(), 'job_1')))).toContain('Not heard: ');
    }
  });

  test('is broken by one word of each side, within the window', async () => {
    const made = await opened();
    await made.begin();
    await made.give('buyer', { evidence: [{ text: 'It is bad.' }] });
    await made.give('provider', { evidence: [{ text: 'It is good.' }] });
    await made.endWindow();
    expect((await resultOf(made)).payload).toMatchObject({ effect: 'decides_escrow' });
    expect((await made.told()).job).toHaveLength(1);
  });
});

describe('a job that is busy', () => {
  test('a verdict that comes while a move is on its way is brought once the job waits again', async () => {
    const made = await opened();
    const { engine } = made.world;
    const keeper = () => VerdictRedelivery.start({ engine, index: made.index(), notice: () => {} });
    const first = await keeper();
    await made.begin();
    await engine.tell('board_1', { type: 'MOVE' });
    await made.waiveAll();
    const { statement } = await resultOf(made);
    expect((await made.told()).job).toEqual([]);
    await engine.tell('board_1', { type: 'REFUSED' });
    await made.world.clock.advance(0);
    const decided = { type: 'DISPUTE.DECIDED', verdictHash: `0x${statement?.payload_hash}` };
    expect((await made.told()).job).toMatchObject([decided]);
    // It was taken: a later refusal and a new process bring nothing more.
    await engine.tell('board_1', { type: 'MOVE' });
    await engine.tell('board_1', { type: 'REFUSED' });
    await made.world.clock.advance(0);
    await first.stop();
    await (await keeper()).stop();
    expect((await made.told()).job).toHaveLength(1);
  });

  test('a process that begins anew brings what the job has not taken', async () => {
    const made = await opened();
    const { engine } = made.world;
    await made.begin();
    await engine.tell('board_1', { type: 'MOVE' });
    await made.waiveAll();
    await resultOf(made);
    await engine.tell('board_1', { type: 'REFUSED' });
    expect((await made.told()).job).toEqual([]);
    await (await VerdictRedelivery.start({ engine, index: made.index(), notice: () => {} })).stop();
    expect((await made.told()).job).toMatchObject([{ type: 'DISPUTE.DECIDED' }]);
  });
});

test('no cancel stops it once it is frozen, and nobody reads how it goes', async () => {
  const hang = ({ phase }: ScriptedCall) => (phase === 'vote' ? 'hang' : judgement);
  const judgement = { position: 'upheld', evidenceIds: ['L1'] };
  const llm = scriptedLlm({ families: ['gpt', 'claude', 'llama'], say: hang as never });
  const made = await opened({ llm });
  await made.begin();
  await made.give('buyer', { evidence: [{ text: 'Secret words.' }], is_last: true });
  await made.give('provider', { is_last: true });
  await made.world.clock.advance(1_000);
  const state = await readPanel(made.deps(), 'job_1');
  expect(state).toMatchObject({ phase: 'swapped_review', turns_done: 3, positions: [] });
  const transcript = await readTranscript(made.deps(), 'job_1');
  expect(transcript).toMatchObject({ brief: null, turns: [], ballots: [], decision: null });
  expect(JSON.stringify([state, transcript])).not.toContain('Secret words');
  await expect(cancelPanel(made.deps(), 'job_1')).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    data: { path: 'cancel' },
  });
  await made.world.engine.tell('job_1', { type: 'CANCEL' });
  expect(await readPanel(made.deps(), 'job_1')).toMatchObject({ status: 'working' });
});

test('afterwards the transcript has texts by hash, and only the parties read them', async () => {
  const made = await opened({ job: LATE });
  await made.begin();
  await made.give('buyer', FROM_BUYER);
  await made.give('provider', { is_last: true });
  const result = await resultOf(made);
  const transcript = JSON.stringify(await readTranscript(made.deps(), 'job_1'));
  expect(transcript).not.toContain('after the agreed time');
  expect(transcript).toContain(`SHA-256 ${result.file?.items[0]?.sha256}`);
  expect(JSON.stringify(result)).not.toContain('after the agreed time');
  const by = { wallet: WALLETS.provider, key: 'look' };
  const view = await made.desk().read('board_1', by);
  expect(view.evidence[0]?.text).toContain('after the agreed time');
});

test('both parties are told of the filing, and not of the id that can cancel', async () => {
  const made = await opened();
  await made.begin();
  const view = await made.world.engine.view('job_1');
  const { events } = await createCaseProjector(made).project(view, { id: 'job_1' } as never);
  expect(events).toMatchObject([
    {
      type: 'arbitration.filed',
      ref: 'board_1',
      subjects: [WALLETS.buyer, WALLETS.provider],
      data: { effect: 'decides_escrow', claimant_role: 'buyer', mode: 'rules_only' },
    },
  ]);
  const event = { ...events[0], event_id: 1 };
  expect(parseEventData(event as never, 'arbitration.filed')).toMatchObject({ seats: 3 });
  expect(JSON.stringify(events)).not.toContain('job_1');
});

test('what is refused is not kept', async () => {
  const made = await opened();
  await made.begin();
  await made.endWindow();
  const text = canonicalJson({ text: 'Too late.', claims: [] });
  await expect(made.give('buyer', { evidence: [{ text: 'Too late.' }] })).rejects.toMatchObject({
    code: 'EVIDENCE_LATE',
  });
  expect(made.blobs.get(sha256Hex(text))).toBeUndefined();
});
