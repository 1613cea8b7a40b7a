import type { CodeNote, CodePhaseInput } from '../panel/definition.ts';
import type { FactNote } from './notes.ts';
import { computeNumbers, findWrongNumbers } from './purchase-numbers.ts';
import type { CouncilBrief } from './records.ts';
import { COUNCIL_RULES } from './rules/rules.ts';

/** Returns the rules that each role on this council checks. */
export function assignRules({ seats }: CodePhaseInput<CouncilBrief>): CodeNote {
  const roles = seats.map(({ role }) => ({
    role,
    rule_ids: COUNCIL_RULES.filter((rule) => rule.role === role).map(({ ruleId }) => ruleId),
  }));
  return { content: { roles }, summary: {} };
}

/** Recomputes the numbers of the brief and applies the rules of the seated roles. */
export function checkFacts({ brief: given, seats }: CodePhaseInput<CouncilBrief>): CodeNote {
  const note = createFactNote(
    given,
    seats.map(({ role }) => role),
  );
  return { content: { ...note }, summary: { wrong_numbers: note.wrong_numbers.length } };
}

/** Checks the facts of a brief for the seated roles. */
export function createFactNote(brief: CouncilBrief, roles: readonly string[]): FactNote {
  const facts = brief.facts ?? {};
  const figures = computeNumbers(facts);
  const rules = COUNCIL_RULES.filter((rule) => roles.includes(rule.role));
  return {
    tco_micro_usd: figures.tcoMicroUsd,
    tco_discounted_micro_usd: figures.tcoDiscountedMicroUsd,
    budget_micro_usd: figures.budgetMicroUsd,
    budget_left_micro_usd: figures.budgetLeftMicroUsd,
    payback_months: figures.paybackMonths,
    wrong_numbers: [...findWrongNumbers(facts, figures)],
    checks: rules.map(({ ruleId, role, title, isRedLine, check }) => ({
      rule_id: ruleId,
      role,
      title,
      is_red_line: isRedLine,
      ...check({ facts, figures }),
    })),
  };
}
