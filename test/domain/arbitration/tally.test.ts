import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combinePasses, tallyVerdict } from '../../../src/domain/arbitration/tally.ts';
import { createBallots } from '../../../src/domain/panel/ballots.ts';
import type { Turn } from '../../../src/domain/panel/records.ts';
import { debateInput, seatsOf, turnOf } from '../../support/debate.ts';

type Judgement = 'upheld' | 'overturned' | null;
type Passes = readonly (readonly [Judgement, Judgement])[];

function count(passes: Passes, o: { readonly isCut?: boolean } = {}) {
  const input = debateInput({ seats: seatsOf(passes.length) });
  const turns: readonly Turn[] = passes.flatMap(([first, swapped], at) => [
    turnOf(input, `review.0.s${at}`, first),
    turnOf(input, `vote.0.s${at}`, swapped),
  ]);
  const cast = createBallots(turns, input.seats, { carryPositions: o.isCut === true });
  const ballots = combinePasses(turns, cast);
  const rules = { ...input, seats: passes.length, optionIds: ['upheld', 'overturned'] };
  return tallyVerdict(ballots, rules);
}

const U = 'upheld';
const O = 'overturned';

/** Reads `OU`: overturned first, upheld once the sides were swapped; `-` is no judgement. */
function passesOf(text: string): Passes {
  const judgement = (letter: string | undefined): Judgement =>
    letter === 'O' ? O : letter === 'U' ? U : null;
  return text.split(' ').map(([one, two]) => [judgement(one), judgement(two)] as const);
}

describe('a verdict of three seats', () => {
  test.each([
    ['all for the claimant', 'OO OO OO', O, 'majority'],
    ['two for the claimant', 'OO OO UU', O, 'majority'],
    ['one for each, one changes with the order', 'OO UU UO', U, 'status_quo_default'],
    ['two for the claimant, one changes', 'OO OO OU', O, 'majority'],
    ['one for the claimant, two change', 'OO OU UO', U, 'status_quo_default'],
    ['all change', 'OU OU UO', U, 'status_quo_default'],
    ['two judged, one each', 'OO UU -U', U, 'status_quo_default'],
    ['one judged twice', 'OO O- -O', null, null],
  ])('%s', (_name, passes, winner, rule) => {
    expect(count(passesOf(passes))).toMatchObject({ winner, rule });
  });
});

test('a seat that was cut off after its first pass has no ballot', () => {
  expect(count(passesOf('OO O- O-'), { isCut: true }).winner).toBeNull();
});

test('overturned takes more than half of all that judged twice, never fewer than the quorum', () => {
  const judgement = fc.constantFrom<Judgement>(U, O, null);
  const panel = fc
    .constantFrom(3, 5, 7)
    .chain((seats) =>
      fc.array(fc.tuple(judgement, judgement), { minLength: seats, maxLength: seats }),
    );
  fc.assert(
    fc.property(panel, (passes) => {
      const judged = passes.filter(([one, two]) => one !== null && two !== null);
      const both = judged.filter(([one, two]) => one === O && two === O).length;
      const isQuorum = judged.length >= Math.floor(passes.length / 2) + 1;
      const expected = !isQuorum ? null : both * 2 > judged.length ? O : U;
      expect(count(passes).winner).toBe(expected);
    }),
  );
});
