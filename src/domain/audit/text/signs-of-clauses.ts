import { CLAUSE_RULES, type TextPlace } from './clause-rules.ts';
import { type Clause, clausesOf, isOwnTask } from './clauses.ts';
import { glossed } from './glossary.ts';

/** A sign in the structure of a clause rather than in a phrase. */
export interface ClauseSign {
  readonly sign: string;
  readonly weight: number;
  readonly excerpt: string;
}

/** Returns the clause signs of a text, with the highest weight of each kind. */
export function clauseSignsIn(text: string, place: TextPlace = {}): readonly ClauseSign[] {
  const found = new Map<string, ClauseSign>();
  for (const part of clausesOf(glossed(text))) {
    const isOwn = place.isUnusual !== true && place.isOutput !== true && isOwnTask(part);
    const clause: Clause = isOwn ? { ...part, voice: 'own' } : part;
    for (const rule of CLAUSE_RULES) {
      const weight = rule.weigh(clause, place);
      const known = found.get(rule.sign)?.weight ?? 0;
      if (weight <= known) continue;
      found.set(rule.sign, { sign: rule.sign, weight, excerpt: clause.sentence.slice(0, 300) });
    }
  }
  return [...found.values()];
}
