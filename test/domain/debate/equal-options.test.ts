import fc from 'fast-check';
import { expect, test } from 'vitest';
import { buildMatrix } from '../../../src/domain/debate/procedures/matrix.ts';
import { PROCEDURES } from '../../../src/domain/debate/procedures/procedures.ts';
import {
  createDebateBrief,
  DebateRequest,
  findTieDefault,
} from '../../../src/domain/debate/request.ts';
import type { Ballot } from '../../../src/domain/panel/records.ts';
import { countBallots } from '../../../src/domain/panel/tally.ts';
import { scoredBrief } from '../../support/debate.ts';

/** Decides over rows of scores with so many rule seats; options are named after their place. */
function decide(rows: readonly (readonly number[])[], seats: number, tieDefault: string) {
  const weights = (rows[0] ?? []).map(() => ({ weight: 1 }));
  const matrix = buildMatrix(scoredBrief(rows, weights));
  const ballots = PROCEDURES.slice(0, seats).map((procedure, n): Ballot => {
    const { ranking, equal } = procedure.decide(matrix);
    const own = { seatId: `s${n}`, status: 'cast', confidence: 0, reason: '' } as const;
    return { ...own, ranking: [...ranking], equal: equal.map((group) => [...group]) };
  });
  const optionIds = [...matrix.optionIds];
  return countBallots(ballots, { seats, optionIds, chairSeatId: 's0', tieDefault, counting: 2 });
}

test.each([5, 11])('%i rule seats cannot tell two identical options apart', (seats) => {
  for (const tieDefault of ['o1', 'o2']) {
    const identical = decide(
      [
        [1, 1],
        [1, 1],
      ],
      seats,
      tieDefault,
    );
    expect(identical).toMatchObject({
      winner: tieDefault,
      rule: 'status_quo_default',
      forced: true,
    });
    const beside = decide(
      [
        [5, 5],
        [5, 5],
        [1, 1],
      ],
      seats,
      tieDefault,
    );
    expect(beside).toMatchObject({ winner: tieDefault, forced: true });
  }
  expect(
    decide(
      [
        [2, 2],
        [1, 1],
      ],
      seats,
      'o2',
    ),
  ).toMatchObject({ winner: 'o1', forced: false });
});

test('without a default of its own a request has the first option by name, in any order', () => {
  for (const names of [
    ['Beta', 'Alpha'],
    ['Alpha', 'Beta'],
  ]) {
    const options = names.map((name) => ({ name }));
    const request = DebateRequest.parse({ question: 'Which one shall it be?', options });
    const brief = createDebateBrief(request);
    const chosen = brief.options.find(
      ({ optionId }) => optionId === findTieDefault(request, brief),
    );
    expect(chosen?.name).toBe('Alpha');
  }
});

test('the order of the options never decides', () => {
  const row = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 2 });
  const briefs = fc.array(row, { minLength: 2, maxLength: 5 }).chain((rows) =>
    fc.record({
      rows: fc.constant(rows),
      order: fc.shuffledSubarray(
        rows.map((_, n) => n),
        { minLength: rows.length },
      ),
      seats: fc.constantFrom(5, 7, 11),
    }),
  );
  fc.assert(
    fc.property(briefs, ({ rows, order, seats }) => {
      const one = decide(rows, seats, 'o1');
      const turned = order.map((place) => rows[place] ?? []);
      const other = decide(turned, seats, `o${order.indexOf(0) + 1}`);
      const place = order[Number(other.winner?.slice(1)) - 1] ?? -1;
      expect(`o${place + 1}`).toBe(one.winner);
      expect([other.rule, other.forced]).toEqual([one.rule, one.forced]);
    }),
    { numRuns: 300 },
  );
});
