import { expect, test } from 'vitest';
import { readTranscript } from '../../../src/actors/panel/panel-state.ts';
import { cancelPanel, detachPanel } from '../../../src/actors/panel/panels.ts';
import { countBallots } from '../../../src/domain/panel/tally.ts';
import { recomputeRoot } from '../../../src/domain/panel/transcript.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { readPanel } from '../../support/read-panel.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';

const PLACES: Record<string, number> = { gpt: 0, claude: 1, llama: 2, qwen: 3, mistral: 4 };

function placeOf({ modelId }: ScriptedCall): number {
  return PLACES[modelId.replace(/^openai:|-x$/g, '')] ?? 0;
}

/** Seats 0 to 2 hold o1, the others o2; nobody moves. */
function steady(call: ScriptedCall) {
  const choice = placeOf(call) < 3 ? 'o1' : 'o2';
  return call.phase === 'vote' ? { ranking: [choice] } : { position: choice };
}

test('a debate of five models is decided, sealed and told to its payment', async () => {
  const world = await panelWorld(scriptedLlm({ say: steady }));
  const jobId = await world.start();
  await world.finish(jobId);
  const state = await readPanel(world.deps(), jobId);
  expect(state).toMatchObject({
    status: 'decided',
    phase: 'decided',
    turns_done: 15,
    turns_planned: 15,
    mode: 'llm',
    families: 5,
  });
  expect(state.result).toMatchObject({
    outcome: 'decided',
    winner: { option_id: 'o1', name: 'Alpha' },
    rule: 'majority',
    forced: false,
    dissent: [
      { seat: 'D', position: { option_id: 'o2', name: 'Bravo' }, reason: 'because of vote' },
      { seat: 'E', position: { option_id: 'o2', name: 'Bravo' }, reason: 'because of vote' },
    ],
    flips: [],
    refund: null,
  });
  expect(state.cost.spent).toEqual({ amount: '0.015', currency: 'USD', micro_usd: '15000' });
  expect(await world.paid()).toEqual([{ type: 'WORK.DONE' }]);
});

test('the result follows from the transcript alone', async () => {
  const world = await panelWorld(scriptedLlm({ say: steady }));
  const jobId = await world.start();
  await world.finish(jobId);
  const transcript = await readTranscript(world.deps(), jobId);
  const { result } = await readPanel(world.deps(), jobId);
  expect(transcript.is_final).toBe(true);
  expect(recomputeRoot(transcript)).toBe(result?.transcript_root);
  const { rules, ballots } = transcript;
  const recount = countBallots(ballots, {
    seats: rules.seats,
    optionIds: rules.option_ids,
    chairSeatId: rules.chair_seat_id,
    tieDefault: rules.tie_default,
  });
  expect(recount.winner).toBe(result?.winner?.option_id);
  expect(recount.rule).toBe(result?.rule);
  const costs = transcript.turns.map((turn) => BigInt(turn.costMicroUsd ?? '0'));
  expect(costs.reduce((sum, cost) => sum + cost, 0n)).toBe(15_000n);
});

test('a unanimous opening goes to the vote at once', async () => {
  const llm = scriptedLlm({
    say: ({ phase }) => (phase === 'vote' ? { ranking: ['o2'] } : { position: 'o2' }),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.finish(jobId);
  const { result, turns_done } = await readPanel(world.deps(), jobId);
  expect(turns_done).toBe(10);
  expect(result?.winner?.name).toBe('Bravo');
  expect(llm.calls.some((call) => call.phase === 'rebuttal')).toBe(false);
});

test('a round that moves nobody ends the rebuttals', async () => {
  const llm = scriptedLlm({ say: steady });
  const world = await panelWorld(llm);
  await world.finish(await world.start({ max_rounds: 3 }));
  expect(llm.calls.filter((call) => call.phase === 'rebuttal')).toHaveLength(5);
});

test('changes of mind are reported, with whether anything supported them', async () => {
  const say = (call: ScriptedCall) => {
    const place = placeOf(call);
    if (call.phase === 'vote') return { ranking: ['o1'] };
    if (call.phase === 'opening') return { position: place < 2 ? 'o1' : 'o2' };
    const named = { changed: true, changeReason: 'error: I had misread the write path' };
    if (place === 2) return { position: 'o1', ...named };
    return { position: 'o1', ...(place === 3 ? { changed: true, changeReason: 'persuaded' } : {}) };
  };
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start();
  await world.finish(jobId);
  const { result } = await readPanel(world.deps(), jobId);
  expect(result?.flips.map(({ seat, supported }) => [seat, supported])).toEqual([
    ['C', true],
    ['D', false],
    ['E', false],
  ]);
  expect(result?.limits.join(' ')).toContain('2 changes of mind came without new evidence');
});

test('with three of five seats that refuse there is no quorum and the price goes back', async () => {
  const say = (call: ScriptedCall) =>
    placeOf(call) < 3 ? { failure: 'refused' as const } : steady(call);
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start();
  await world.finish(jobId);
  const { status, result } = await readPanel(world.deps(), jobId);
  expect(status).toBe('no_quorum');
  expect(result).toMatchObject({ winner: null, rule: null, forced: false });
  expect(result?.refund?.micro_usd).toBe('2000000');
  expect(result?.transcript_root).toMatch(/^[0-9a-f]{64}$/);
  expect(await world.paid()).toEqual([
    { type: 'WORK.FAILED', reason: 'Too few seats gave a usable turn.' },
  ]);
});

test('with one of five seats that refuses the others decide', async () => {
  const say = (call: ScriptedCall) =>
    placeOf(call) === 0 ? { failure: 'refused' as const } : steady(call);
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start();
  await world.finish(jobId);
  const { result } = await readPanel(world.deps(), jobId);
  expect(result).toMatchObject({ outcome: 'decided', tally: { cast: 4, seats: 5 } });
  expect(result?.limits.join(' ')).toContain('1 of 5 seats have no valid ballot');
});

test('a cancel stops the calls, keeps the transcript and refunds what was not spent', async () => {
  const llm = scriptedLlm({
    say: (call) => (placeOf(call) < 2 ? steady(call) : 'hang'),
    cost: () => '100000',
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.clock.advance(1_000);
  expect(llm.open()).toBe(3);
  await cancelPanel(world.deps(), jobId);
  await world.finish(jobId);
  await world.clock.advance(0);
  expect(llm.open()).toBe(0);
  const { status, result } = await readPanel(world.deps(), jobId);
  expect(status).toBe('cancelled');
  expect(result?.refund?.micro_usd).toBe('1800000');
  expect(await world.paid()).toEqual([{ type: 'WORK.CANCELLED', refundMicroUsd: '1800000' }]);
  expect((await readTranscript(world.deps(), jobId)).turns).toHaveLength(2);
  await cancelPanel(world.deps(), jobId);
  expect(await world.paid()).toHaveLength(1);
});

test('a caller who is gone changes nothing but a mark', async () => {
  const world = await panelWorld(scriptedLlm({ say: steady }));
  const jobId = await world.start();
  await detachPanel(world.deps(), jobId);
  await world.finish(jobId);
  expect(await world.context(jobId)).toMatchObject({ detached: true, outcome: 'decided' });
});

test('at the soft deadline an open rebuttal is cut off and the vote is held', async () => {
  const llm = scriptedLlm({
    say: (call) => (call.phase === 'rebuttal' ? 'hang' : steady(call)),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start({ deadline_s: 100 });
  await world.clock.advance(79_000);
  expect((await readPanel(world.deps(), jobId)).phase).toBe('rebuttal');
  await world.clock.advance(2_000);
  const { status, result } = await readPanel(world.deps(), jobId);
  expect(status).toBe('decided');
  expect(result?.limits.join(' ')).toContain('5 turns had not finished or started');
});

test('at the hard deadline what is there is counted', async () => {
  const llm = scriptedLlm({
    say: (call) => (call.phase === 'vote' && placeOf(call) > 0 ? 'hang' : steady(call)),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start({ deadline_s: 60, max_rounds: 0 });
  await world.clock.advance(59_000);
  expect((await readPanel(world.deps(), jobId)).status).toBe('working');
  await world.clock.advance(2_000);
  const { status, result } = await readPanel(world.deps(), jobId);
  expect(status).toBe('decided');
  expect(result?.tally?.cast).toBe(5);
  expect(result?.limits.join(' ')).toContain('4 ballots are last positions');
});

test('a debate in which nobody answers ends at its deadline without a quorum', async () => {
  const world = await panelWorld(scriptedLlm({ say: () => 'hang' }));
  const jobId = await world.start({ deadline_s: 60 });
  await world.clock.advance(61_000);
  expect((await readPanel(world.deps(), jobId)).status).toBe('no_quorum');
});

test('when the budget is gone in the middle, nothing more is asked and positions count', async () => {
  const llm = scriptedLlm({
    say: (call) => (call.phase === 'rebuttal' && placeOf(call) > 2 ? 'hang' : steady(call)),
    cost: ({ phase }) => (phase === 'rebuttal' ? '400000' : '10000'),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.clock.advance(1_000);
  const { status, result } = await readPanel(world.deps(), jobId);
  expect(status).toBe('decided');
  expect(llm.calls.some((call) => call.phase === 'vote')).toBe(false);
  expect(result?.limits.join(' ')).toContain('5 ballots are last positions');
  expect(llm.open()).toBe(0);
});

test('four fifths of the budget end the rebuttals but not the vote', async () => {
  const llm = scriptedLlm({
    say: steady,
    cost: ({ phase }) => (phase === 'opening' ? '160000' : '1000'),
    ceiling: () => '1000',
  });
  const world = await panelWorld(llm);
  await world.finish(await world.start({ max_rounds: 2 }));
  expect(llm.calls.map((call) => call.phase)).not.toContain('rebuttal');
  expect(llm.calls.filter((call) => call.phase === 'vote')).toHaveLength(5);
});

test('a call that could cost more than its share is not made', async () => {
  let isDear = false;
  const llm = scriptedLlm({ say: steady, ceiling: () => (isDear ? '70000' : '1000') });
  const world = await panelWorld(llm);
  const planned = world.start();
  isDear = true;
  const jobId = await planned;
  await world.finish(jobId);
  expect(llm.calls).toHaveLength(0);
  const { turns } = await world.context(jobId);
  expect(turns.map((turn) => turn.status)).toEqual(Array(5).fill('aborted'));
});

test('a shorter answer is asked for where the long one does not fit the share', async () => {
  const llm = scriptedLlm({ say: steady, ceiling: (_model, tokens) => String(tokens * 50) });
  const world = await panelWorld(llm);
  await world.finish(await world.start());
  expect(llm.calls[0]?.request.maxOutputTokens).toBe(1_200);
});

test('a restart in the middle gives the same result, and finished turns are not asked again', async () => {
  const whole = await panelWorld(scriptedLlm({ say: steady }));
  const wholeJob = await whole.start();
  await whole.finish(wholeJob);
  const expected = (await readPanel(whole.deps(), wholeJob)).result;

  let isDown = true;
  const llm = scriptedLlm({
    say: (call) =>
      isDown && call.phase === 'rebuttal' && placeOf(call) > 1 ? 'hang' : steady(call),
  });
  const world = await panelWorld(llm);
  const jobId = await world.start();
  await world.clock.advance(1_000);
  isDown = false;
  await world.restart();
  await world.finish(jobId);
  const { result } = await readPanel(world.deps(), jobId);
  expect(result?.winner).toEqual(expected?.winner);
  expect(result?.tally).toEqual(expected?.tally);
  expect(llm.calls.filter((call) => call.phase === 'opening')).toHaveLength(5);
  expect(llm.calls.filter((call) => call.phase === 'rebuttal')).toHaveLength(8);
  // Three answers were lost with the process: what they may have cost is said, not hidden.
  expect(result?.cost.orphaned_up_to.micro_usd).toBe('120000');
});

test('the devil’s advocate argues against the leader and votes freely', async () => {
  const llm = scriptedLlm({
    families: ['a1', 'b2', 'c3', 'd4', 'e5', 'f6', 'g7'],
    say: ({ phase, modelId }) => {
      if (phase === 'vote') return { ranking: ['o1'] };
      if (phase === 'opening') return { position: modelId.includes('a1') ? 'o2' : 'o1' };
      return { position: modelId.includes('g7') ? 'o3' : 'o1' };
    },
  });
  const world = await panelWorld(llm);
  const jobId = await world.start({ seats: 7 });
  await world.finish(jobId);
  const rebuttals = llm.calls.filter((call) => call.phase === 'rebuttal');
  const assigned = rebuttals.filter(({ request }) => request.prompt.includes('assigned to argue'));
  expect(assigned.map((call) => call.modelId)).toEqual(['openai:g7-x']);
  expect(assigned[0]?.request.prompt).toContain('against option o1');
  const { result } = await readPanel(world.deps(), jobId);
  expect(result?.flips.filter((flip) => flip.seat === 'G')).toEqual([]);
  expect(result?.tally?.first_choices[0]).toMatchObject({ option_id: 'o1', votes: 7 });
});

test('rule seats decide over scores without any model, and say so', async () => {
  const world = await panelWorld(scriptedLlm({ families: [], say: steady }));
  const jobId = await world.start({
    options: [
      { name: 'Alpha', scores: { speed: 9, cost: 2 } },
      { name: 'Bravo', scores: { speed: 5, cost: 8 } },
    ],
    criteria: [
      { name: 'speed', weight: 3 },
      { name: 'cost', higher_is_better: false },
    ],
  });
  await world.finish(jobId);
  const { result } = await readPanel(world.deps(), jobId);
  expect(result).toMatchObject({ mode: 'rules_only', families: 1, winner: { name: 'Alpha' } });
  expect(result?.limits.join(' ')).toContain('No language model was used');
  expect(result?.seats.map((seat) => seat.model)).toEqual([
    'rule:weighted_sum.v1',
    'rule:minimax_regret.v1',
    'rule:copeland.v1',
    'rule:lexicographic.v1',
    'rule:topsis.v1',
  ]);
});
