import { basisPointsOf, type Figures } from '../figures.ts';
import type { CouncilFacts } from '../records.ts';
import type { CouncilRoleName } from '../roles.ts';

/** What a rule looks at. */
export interface RuleView {
  readonly facts: CouncilFacts;
  readonly figures: Figures;
}

/** What a rule found. `unknown`: the brief does not say, which never counts as good. */
export interface Finding {
  readonly verdict: 'pass' | 'fail' | 'unknown';
  /** What was looked at and found, for people. */
  readonly text: string;
}

/** One rule of a role's checklist. */
export interface CouncilRule {
  readonly ruleId: string;
  readonly role: CouncilRoleName;
  readonly title: string;
  /** True: where it fails, a plain approval is not possible. */
  readonly isRedLine: boolean;
  /** What has to be done where it fails or is unknown. */
  readonly condition: string;
  /** Days from the start until then; 0 is before signature. */
  readonly dueDays: number;
  check(view: RuleView): Finding;
}

/** What a rule is made from; a red line is due before signature. */
interface RuleWords {
  readonly id: string;
  readonly title: string;
  readonly condition: string;
  readonly dueDays?: number;
  readonly isRedLine?: boolean;
}

/** Makes the rules of one role. */
export function rulesOf(role: CouncilRoleName) {
  const make = (words: RuleWords, check: CouncilRule['check']): CouncilRule => ({
    ruleId: `${role}-${words.id}`,
    role,
    title: words.title,
    isRedLine: words.isRedLine ?? false,
    condition: words.condition,
    dueDays: words.dueDays ?? 0,
    check,
  });
  return {
    make,
    /** Holds where a fact is true. */
    isTrue: (words: RuleWords, fact: string, read: Reader<boolean>) =>
      make(words, ({ facts }) => {
        const value = read(facts);
        if (value === undefined) return unknown(fact);
        return { verdict: value ? 'pass' : 'fail', text: `${fact}: ${value ? 'yes' : 'no'}` };
      }),
    /** Holds where a number is at least so much. */
    atLeast: (words: RuleWords, fact: Fact, read: Reader<number>) =>
      make(words, ({ facts }) => compared(read(facts), fact, (value) => value >= fact.bound)),
    /** Holds where a number is at most so much. */
    atMost: (words: RuleWords, fact: Fact, read: Reader<number>) =>
      make(words, ({ facts }) => compared(read(facts), fact, (value) => value <= fact.bound)),
  };
}

/** Reads a fact; `undefined` where the brief does not say. */
type Reader<T> = (facts: CouncilFacts) => T | undefined;
/** A number of the brief with its bound and its unit. */
interface Fact {
  readonly fact: string;
  readonly bound: number;
  readonly unit: string;
}

/** What a rule says of a fact that is not there. */
export function unknown(fact: string): Finding {
  return { verdict: 'unknown', text: `${fact}: the brief does not say` };
}

/** A percentage of the brief as a number of percent. */
export function percent(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(basisPointsOf(text)) / 100;
}

function compared(
  value: number | undefined,
  { fact, bound, unit }: Fact,
  holds: (value: number) => boolean,
): Finding {
  if (value === undefined) return unknown(fact);
  const verdict = holds(value) ? 'pass' : 'fail';
  return { verdict, text: `${fact}: ${value} ${unit} (bound ${bound})` };
}
