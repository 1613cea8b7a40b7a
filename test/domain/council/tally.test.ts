import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COUNCIL_OPTION_IDS } from '../../../src/domain/council/records.ts';
import { tallyCouncil } from '../../../src/domain/council/tally.ts';
import { countBallots } from '../../../src/domain/panel/tally.ts';
import { ballot, seatsOf } from '../../support/debate.ts';

const rules = {
  seats: 5,
  optionIds: [...COUNCIL_OPTION_IDS],
  chairSeatId: 's0',
  tieDefault: 'defer',
};
const facts = (red_lines: object | undefined, veto: string[] = []) => ({
  notes: red_lines === undefined ? {} : { red_lines: red_lines as never },
  policy: veto.length === 0 ? {} : { veto },
  seats: seatsOf(5),
});
const approved = [0, 1, 2].map((n) => ballot(`s${n}`, 'approve'));
const line = (is_veto: boolean) => ({ raised: [{ rule_id: 'CISO-01', is_veto }] });

test('red lines make an approval one with conditions, and vetoes a rejection', () => {
  expect(tallyCouncil(approved, rules, facts({ raised: [] })).winner).toBe('approve');
  expect(tallyCouncil(approved, rules, facts(line(false)))).toMatchObject({
    winner: 'approve_with_conditions',
    adjusted: { from: 'approve', why: ['red line CISO-01'] },
  });
  expect(tallyCouncil(approved, rules, facts(line(true)))).toMatchObject({
    winner: 'reject',
    adjusted: { why: ['veto by red line CISO-01'] },
  });
});

test('red lines that were not checked leave no plain approval, and with vetoes none', () => {
  expect(tallyCouncil(approved, rules, facts(undefined)).winner).toBe('approve_with_conditions');
  expect(tallyCouncil(approved, rules, facts(undefined, ['CISO'])).winner).toBe('defer');
});

test('over any ballots: the ladder decides, and red lines never make an approval better', () => {
  const ranking = fc.shuffledSubarray([...COUNCIL_OPTION_IDS], { minLength: 1 });
  const ballots = fc.array(ranking, { maxLength: 5 });
  const lines = fc.array(fc.record({ rule_id: fc.constant('CISO-01'), is_veto: fc.boolean() }), {
    maxLength: 2,
  });
  fc.assert(
    fc.property(ballots, lines, (rankings, raised) => {
      const cast = rankings.map((one, n) => ballot(`s${n}`, ...one));
      const plain = countBallots(cast, rules);
      const counted = tallyCouncil(cast, rules, facts({ raised }));
      expect(counted.firstChoices).toEqual(plain.firstChoices);
      expect(counted.winner === null).toBe(plain.winner === null);
      const isApproval = plain.winner?.startsWith('approve') ?? false;
      if (!isApproval) expect(counted).toEqual(plain);
      if (raised.length > 0) expect(counted.winner).not.toBe('approve');
      if (isApproval && raised.some(({ is_veto }) => is_veto)) {
        expect(counted.winner).toBe('reject');
      }
    }),
  );
});
