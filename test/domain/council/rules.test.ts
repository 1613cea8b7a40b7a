import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFactNote } from '../../../src/domain/council/facts.ts';
import { CouncilFacts } from '../../../src/domain/council/records.ts';
import { createCouncilBrief } from '../../../src/domain/council/request.ts';
import { ROLE_NAMES, VETO_ROLES } from '../../../src/domain/council/roles.ts';
import { COUNCIL_RULES, findRule } from '../../../src/domain/council/rules/rules.ts';
import { councilRequest, goodFacts } from '../../support/council.ts';

const DAY = '2026-01-01';

test('every role has at least three rules, and ids name their role once', () => {
  const ids = COUNCIL_RULES.map(({ ruleId }) => ruleId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const role of ROLE_NAMES) {
    const own = COUNCIL_RULES.filter((rule) => rule.role === role);
    expect(own.length, role).toBeGreaterThanOrEqual(3);
    expect(own.every(({ ruleId }) => ruleId.startsWith(`${role}-`))).toBe(true);
  }
});

test('the red lines are those that the council states, all due before signature', () => {
  const lines = COUNCIL_RULES.filter(({ isRedLine }) => isRedLine);
  expect(lines.map(({ ruleId }) => ruleId)).toEqual(['CFO-01', 'CISO-01', 'CISO-02', 'LEGAL-01']);
  expect(lines.every(({ dueDays }) => dueDays === 0)).toBe(true);
  expect([...new Set(lines.map(({ role }) => role))]).toEqual([...VETO_ROLES]);
  expect(findRule('CISO-99')).toBeUndefined();
});

test('without facts no rule passes', () => {
  const brief = createCouncilBrief(councilRequest({ facts: undefined }), DAY);
  const verdicts = createFactNote(brief, ROLE_NAMES).checks.map(({ verdict }) => verdict);
  expect(new Set(verdicts)).toEqual(new Set(['unknown']));
});

test('without personal data nothing has to be encrypted or agreed for it', () => {
  const facts = { ...goodFacts(), security: { personal_data: false }, data: {} };
  const { checks } = createFactNote(createCouncilBrief(councilRequest({ facts }), DAY), ROLE_NAMES);
  const of = (id: string) => checks.find(({ rule_id }) => rule_id === id)?.verdict;
  expect([of('CISO-02'), of('LEGAL-01'), of('CISO-01')]).toEqual(['pass', 'pass', 'unknown']);
});

test('taking a fact away never turns a rule that failed or was unknown into a pass', () => {
  const whole = goodFacts();
  const parts = Object.entries(whole).flatMap(([part, facts]) =>
    Object.keys(facts ?? {}).map((name) => [part, name] as const),
  );
  const verdictsOf = (facts: CouncilFacts) =>
    createFactNote(createCouncilBrief(councilRequest({ facts }), DAY), ROLE_NAMES).checks;
  fc.assert(
    fc.property(fc.subarray(parts), (gone) => {
      const left = JSON.parse(JSON.stringify(whole)) as Record<string, Record<string, unknown>>;
      for (const [part, name] of gone) delete left[part]?.[name];
      const before = verdictsOf(whole);
      const after = verdictsOf(CouncilFacts.parse(left));
      const risen = after.filter(
        ({ verdict, rule_id }, at) =>
          // Prices that are gone cost nothing more, so figures may well get better.
          verdict === 'pass' && before[at]?.verdict !== 'pass' && !rule_id.startsWith('CFO'),
      );
      expect(risen).toEqual([]);
    }),
    { numRuns: 100 },
  );
});
