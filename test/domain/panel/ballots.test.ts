import { expect, test } from 'vitest';
import { createBallots, findLastPosition } from '../../../src/domain/panel/ballots.ts';
import { debateInput, turnOf } from '../../support/debate.ts';

const input = debateInput();
const turns = [
  turnOf(input, 'opening.0.s0', 'o1'),
  turnOf(input, 'opening.0.s1', 'o2'),
  turnOf(input, 'opening.0.s2', 'o3'),
  turnOf(input, 'rebuttal.1.s0', 'o2'),
  turnOf(input, 'rebuttal.1.s2', 'o1'),
  turnOf(input, 'vote.0.s0', 'o2', { ranking: ['o2', 'o1'] }),
  turnOf(input, 'vote.0.s1', null, { status: 'invalid' }),
];

test('a good vote is cast, an unusable one is spoiled, a missing one abstains', () => {
  const ballots = createBallots(turns, input.seats, { carryPositions: false });
  expect(ballots.map(({ seatId, status, ranking }) => [seatId, status, ranking])).toEqual([
    ['s0', 'cast', ['o2', 'o1']],
    ['s1', 'spoiled', []],
    ['s2', 'abstain', []],
    ['s3', 'abstain', []],
    ['s4', 'abstain', []],
  ]);
});

test('where the vote was cut off the last own position counts, and says so', () => {
  const [, second, third] = createBallots(turns, input.seats, { carryPositions: true });
  expect(second).toMatchObject({ status: 'cast', ranking: ['o2'], source: 'position' });
  expect(third).toMatchObject({ status: 'cast', ranking: ['o1'], source: 'position' });
});

test('an assigned argument never counts as a position', () => {
  expect(findLastPosition(turns, 's2')).toBe('o1');
  expect(findLastPosition(turns, 's2', 's2')).toBe('o3');
});
