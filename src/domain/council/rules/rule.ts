import { type PurchaseNumbers, toBasisPoints } from '../purchase-numbers.ts';
import type { CouncilFacts } from '../records.ts';
import type { CouncilRoleName } from '../roles.ts';

/** Input of a rule. */
export interface RuleView {
  readonly facts: CouncilFacts;
  readonly figures: PurchaseNumbers;
}

/** Result of a rule. `unknown`: the brief does not say, which never counts in favour. */
export interface Finding {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** What was checked and found, for people. */
  readonly text: string;
}

/** One rule of a role's checklist. */
export interface CouncilRule {
  readonly ruleId: string;
  readonly role: CouncilRoleName;
  readonly title: string;
  /** True if failure rules out a plain approval. */
  readonly isRedLine: boolean;
  /** Action required if the rule fails or is unknown. */
  readonly condition: string;
  /** Due date in days from the start; 0 means before signature. */
  readonly dueDays: number;
  check(view: RuleView): Finding;
}

/** Definition of a rule; a red line is due before signature. */
interface RuleDefinition {
  readonly id: string;
  readonly title: string;
  readonly condition: string;
  readonly dueDays?: number;
  readonly isRedLine?: boolean;
}

/** Returns factories for the rules of one role. */
export function createRuleFactory(role: CouncilRoleName) {
  const make = (definition: RuleDefinition, check: CouncilRule['check']): CouncilRule => ({
    ruleId: `${role}-${definition.id}`,
    role,
    title: definition.title,
    isRedLine: definition.isRedLine ?? false,
    condition: definition.condition,
    dueDays: definition.dueDays ?? 0,
    check,
  });
  return {
    make,
    /** Passes if a fact is true. */
    isTrue: (words: RuleDefinition, fact: string, read: FactReader<boolean>) =>
      make(words, ({ facts }) => {
        const value = read(facts);
        if (value === undefined) return unknownFinding(fact);
        return { verdict: value ? 'pass' : 'fail', text: `${fact}: ${value ? 'yes' : 'no'}` };
      }),
    /** Passes if a number reaches a minimum. */
    atLeast: (words: RuleDefinition, fact: NumericFact, read: FactReader<number>) =>
      make(words, ({ facts }) => compareNumber(read(facts), fact, (value) => value >= fact.bound)),
    /** Passes if a number does not exceed a maximum. */
    atMost: (words: RuleDefinition, fact: NumericFact, read: FactReader<number>) =>
      make(words, ({ facts }) => compareNumber(read(facts), fact, (value) => value <= fact.bound)),
  };
}

/** Reads a fact; `undefined` if the brief does not state it. */
type FactReader<T> = (facts: CouncilFacts) => T | undefined;
/** A number in the brief with its bound and unit. */
interface NumericFact {
  readonly fact: string;
  readonly bound: number;
  readonly unit: string;
}

/** Creates the finding for a fact that the brief does not state. */
export function unknownFinding(fact: string): Finding {
  return { verdict: 'unknown', text: `${fact}: the brief does not say` };
}

/** Converts a percentage of the brief to a number. */
export function parsePercent(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(toBasisPoints(text)) / 100;
}

function compareNumber(
  value: number | undefined,
  { fact, bound, unit }: NumericFact,
  holds: (value: number) => boolean,
): Finding {
  if (value === undefined) return unknownFinding(fact);
  const verdict = holds(value) ? 'pass' : 'fail';
  return { verdict, text: `${fact}: ${value} ${unit} (bound ${bound})` };
}
