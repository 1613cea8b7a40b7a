import { CLAUSE_RULES, type TextContext } from './clause-rules.ts';
import { type Clause, isPurposeStatement, splitClauses } from './clauses.ts';
import { gloss } from './gloss.ts';

/** A sign in the structure of a clause rather than in a phrase. */
export interface ClauseSign {
  readonly sign: string;
  readonly weight: number;
  readonly excerpt: string;
}

/** Returns the clause signs of a text, with the highest weight of each kind. */
export function findClauseSigns(text: string, place: TextContext = {}): readonly ClauseSign[] {
  const found = new Map<string, ClauseSign>();
  for (const part of splitClauses(gloss(text))) {
    const isOwn = place.isUnusual !== true && place.isOutput !== true && isPurposeStatement(part);
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
