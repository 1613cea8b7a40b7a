import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ballot } from '../../../src/domain/panel/records.ts';
import { computeQuorum, countBallots } from '../../../src/domain/panel/tally.ts';
import { ballot } from '../../support/debate.ts';

const rules = {
  seats: 5,
  optionIds: ['o1', 'o2', 'o3'],
  chairSeatId: 's0',
  tieDefault: 'o3',
  counting: 2 as const,
};

test('more than half of the first choices is a majority', () => {
  const ballots = ['o1', 'o1', 'o1', 'o2', 'o3'].map((o, n) => ballot(`s${n}`, o));
  expect(countBallots(ballots, rules)).toEqual({
    winner: 'o1',
    rule: 'majority',
    forced: false,
    quorum: 3,
    cast: 5,
    firstChoices: { o1: 3, o2: 1, o3: 1 },
    rounds: [],
    tied: [],
    borda: null,
    margin: 2,
  });
});

test('without a majority the lowest falls and its ballots go to their next choice', () => {
  const ballots = [
    ballot('s0', 'o1', 'o2', 'o3'),
    ballot('s1', 'o1', 'o2', 'o3'),
    ballot('s2', 'o2', 'o3', 'o1'),
    ballot('s3', 'o2', 'o3', 'o1'),
    ballot('s4', 'o3', 'o2', 'o1'),
  ];
  const counted = countBallots(ballots, rules);
  expect(counted).toMatchObject({ winner: 'o2', rule: 'instant_runoff', forced: false });
  expect(counted.rounds).toEqual([{ counts: { o1: 2, o2: 2, o3: 1 }, eliminated: ['o3'] }]);
  expect(counted.margin).toBe(1);
});

test('a runoff that leaves options level is decided by Borda points among them', () => {
  // First choices 1-1-1 of three seats; points of (k-1, k-2, 0): o1 2+1+1, o2 0+2+0, o3 1+0+2.
  const ballots = [
    ballot('s0', 'o1', 'o3', 'o2'),
    ballot('s1', 'o2', 'o1', 'o3'),
    ballot('s2', 'o3', 'o1', 'o2'),
  ];
  const counted = countBallots(ballots, { ...rules, seats: 3 });
  expect(counted).toMatchObject({ winner: 'o1', rule: 'borda_tiebreak', forced: false });
  expect(counted.borda).toEqual({ o1: 4, o2: 2, o3: 3 });
  expect(counted.tied).toEqual(['o1', 'o2', 'o3']);
});

test('level points go by the casting vote of the chair, and that is forced', () => {
  const ballots = [ballot('s0', 'o2', 'o1'), ballot('s1', 'o1', 'o2')];
  expect(countBallots(ballots, { ...rules, seats: 2 })).toMatchObject({
    winner: 'o2',
    rule: 'chair_casting_vote',
    forced: true,
    margin: 0,
  });
});

test('the casting vote goes to the first of the level options, not to one that has fallen', () => {
  // First choices 3-2-1; o3 falls, then 3-3, and Borda 3-3: the chair ranks o2 before o1.
  const ballots = [
    ballot('s0', 'o3', 'o2', 'o1'),
    ...['s1', 's2', 's3'].map((seatId) => ballot(seatId, 'o1', 'o2')),
    ...['s4', 's5'].map((seatId) => ballot(seatId, 'o2', 'o1')),
  ];
  expect(countBallots(ballots, { ...rules, seats: 6 })).toMatchObject({
    winner: 'o2',
    rule: 'chair_casting_vote',
    tied: ['o1', 'o2'],
    borda: { o1: 3, o2: 3 },
  });
});

test('without a vote of the chair the stated default wins, and that is forced', () => {
  const ballots = [ballot('s1', 'o2', 'o1'), ballot('s2', 'o1', 'o2')];
  expect(countBallots(ballots, { ...rules, seats: 2 })).toMatchObject({
    winner: 'o3',
    rule: 'status_quo_default',
    forced: true,
  });
});

test('fewer valid ballots than the quorum decide nothing, and nothing is forced', () => {
  const spoiled: Ballot = { ...ballot('s2', 'o1', 'o1'), status: 'cast' };
  const ballots = [ballot('s0', 'o1'), ballot('s1', 'o1'), spoiled];
  expect(countBallots(ballots, rules)).toMatchObject({
    winner: null,
    rule: null,
    forced: false,
    quorum: 3,
    cast: 2,
  });
});

test('the quorum is more than half of the seats, for odd and even panels', () => {
  expect([5, 6, 7, 8, 9, 10, 11].map(computeQuorum)).toEqual([3, 4, 4, 5, 5, 6, 6]);
});

const optionIds = ['o1', 'o2', 'o3', 'o4'];
const ranking = fc.shuffledSubarray(optionIds, { minLength: 1 });
const panels = fc.integer({ min: 5, max: 11 }).chain((seats) =>
  fc.record({
    seats: fc.constant(seats),
    rankings: fc.array(ranking, { minLength: computeQuorum(seats), maxLength: seats }),
  }),
);

test('with a quorum there is always a winner, and it is one of the options', () => {
  fc.assert(
    fc.property(panels, ({ seats, rankings }) => {
      const ballots = rankings.map((one, n) => ballot(`s${n}`, ...one));
      const { winner, rule, forced } = countBallots(ballots, { ...rules, seats, optionIds });
      expect(optionIds).toContain(winner);
      expect(forced).toBe(rule === 'chair_casting_vote' || rule === 'status_quo_default');
    }),
  );
});

test('the order of the ballots changes nothing', () => {
  const shuffled = panels.chain((panel) => {
    const ballots = panel.rankings.map((one, n) => ballot(`s${n}`, ...one));
    return fc.record({
      seats: fc.constant(panel.seats),
      ballots: fc.constant(ballots),
      mixed: fc.shuffledSubarray(ballots, { minLength: ballots.length }),
    });
  });
  fc.assert(
    fc.property(shuffled, ({ seats, ballots, mixed }) => {
      const all = { ...rules, seats, optionIds };
      expect(countBallots(mixed, all)).toEqual(countBallots(ballots, all));
    }),
  );
});

test('an option that more than half rank first always wins', () => {
  fc.assert(
    fc.property(fc.array(ranking, { maxLength: 5 }), (others) => {
      const winners = Array.from({ length: 6 }, () => ['o2', 'o1']);
      const ballots = [...others, ...winners].map((one, n) => ballot(`s${n}`, ...one));
      const counted = countBallots(ballots, { ...rules, seats: 11, optionIds });
      expect(counted).toMatchObject({ winner: 'o2', rule: 'majority' });
    }),
  );
});

const ROWS = ['o1 o2 o3 o4', 'o1 o3 o4 o2', 'o2 o3 o4 o1', 'o3 o4 o2 o1', 'o4 o2 o3 o1'];
const divided = ROWS.map((row, n) => ballot(`s${n}`, ...row.split(' ')));

test('an option that most rank last does not win because the others are lowest together', () => {
  const counted = countBallots(divided, { ...rules, optionIds });
  expect(counted).toMatchObject({ winner: 'o3', rule: 'borda_tiebreak', forced: false });
  expect([counted.tied, counted.rounds]).toEqual([['o2', 'o3', 'o4'], []]);
  // A panel that was begun before counts as it was told to.
  const before = countBallots(divided, { ...rules, optionIds, counting: undefined });
  expect(before).toMatchObject({ winner: 'o1', rule: 'instant_runoff' });
});

test('where every order of dropping the lowest gives one winner, the runoff decides', () => {
  const rows = ['o1 o2', 'o1 o2', 'o2 o1', 'o2 o1', 'o2 o1', 'o3 o1', 'o4 o1', 'o4 o1', 'o3 o1'];
  const ballots = rows.map((row, n) => ballot(`s${n}`, ...row.split(' ')));
  const counted = countBallots(ballots, { ...rules, seats: 9, optionIds });
  expect(counted).toMatchObject({ winner: 'o1', rule: 'borda_tiebreak', forced: false });
  const more = [...ballots, ballot('s9', 'o1'), ballot('s10', 'o1')];
  const runoff = countBallots(more, { ...rules, seats: 11, optionIds });
  expect(runoff).toMatchObject({ winner: 'o1', rule: 'instant_runoff', forced: false, tied: [] });
  expect(runoff.rounds.every(({ eliminated }) => eliminated.length === 1)).toBe(true);
});

test('ballots that hold options equal give each a share, and the stated default decides', () => {
  const level = (seatId: string, ...ranking: string[]): Ballot => ({
    ...ballot(seatId, ...ranking),
    equal: [['o1', 'o2']],
  });
  const all = ['s0', 's1', 's2', 's3', 's4'].map((seatId) => level(seatId, 'o1', 'o2', 'o3'));
  const forced = { winner: 'o3', rule: 'status_quo_default', forced: true };
  expect(countBallots(all, rules)).toMatchObject({
    ...forced,
    firstChoices: { o1: 2.5, o2: 2.5, o3: 0 },
  });
  for (const tieDefault of ['o1', 'o2']) {
    expect(countBallots(all, { ...rules, tieDefault })).toMatchObject({
      winner: tieDefault,
      forced: true,
    });
  }
  // Three for either of two against two for a third: the third does not win.
  const against = [...all.slice(0, 3), ballot('s3', 'o3'), ballot('s4', 'o3')];
  const { tied, winner } = countBallots(against, { ...rules, tieDefault: 'o2' });
  expect([tied, winner]).toEqual([['o1', 'o2'], 'o2']);
});

test('new names and another order of options and ballots change nothing but the names', () => {
  const renamed = panels.chain(({ seats, rankings }) =>
    fc.record({
      seats: fc.constant(seats),
      rankings: fc.constant(rankings),
      names: fc.shuffledSubarray(optionIds, { minLength: optionIds.length }),
      equal: fc.option(fc.shuffledSubarray(optionIds, { minLength: 2, maxLength: 3 })),
      order: fc.shuffledSubarray(optionIds, { minLength: optionIds.length }),
    }),
  );
  fc.assert(
    fc.property(renamed, ({ seats, rankings, names, equal, order }) => {
      const rename = (optionId: string) => names[optionIds.indexOf(optionId)] ?? '';
      const make = (name: (optionId: string) => string) =>
        rankings.map((ranking, n): Ballot => {
          const group = ranking.filter((one) => equal?.includes(one) === true);
          const grouped = [...group, ...ranking.filter((one) => !group.includes(one))];
          const own = ballot(`s${n}`, ...grouped.map(name));
          return group.length < 2 ? own : { ...own, equal: [group.map(name)] };
        });
      const own = { ...rules, seats, optionIds, tieDefault: 'o3' };
      const one = countBallots(
        make((optionId) => optionId),
        own,
      );
      const changed = { ...own, optionIds: order, tieDefault: rename('o3') };
      const other = countBallots(make(rename).reverse(), changed);
      expect(other.winner).toBe(rename(one.winner ?? ''));
      expect([other.rule, other.forced, other.margin]).toEqual([one.rule, one.forced, one.margin]);
      expect(new Set(other.tied)).toEqual(new Set(one.tied.map(rename)));
    }),
    { numRuns: 500 },
  );
});

test('every rung of the ladder is reached by some panel', () => {
  const seen = new Set<string | null>();
  for (const { seats, rankings } of fc.sample(panels, { numRuns: 2_000, seed: 7 })) {
    const ballots = rankings.map((one, n) => ballot(`s${n + 1}`, ...one.slice(0, 2)));
    seen.add(countBallots(ballots, { ...rules, chairSeatId: 's1', seats, optionIds }).rule);
    seen.add(countBallots(ballots, { ...rules, chairSeatId: 's0', seats, optionIds }).rule);
  }
  expect(seen).toEqual(
    new Set([
      'majority',
      'instant_runoff',
      'borda_tiebreak',
      'chair_casting_vote',
      'status_quo_default',
    ]),
  );
});
