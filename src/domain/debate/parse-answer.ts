import type { ParsedAnswer } from '../panel/answer.ts';
import { parseBallot, parsePosition } from '../panel/answer-forms.ts';
import { BALLOT_PHASE, type TurnPhase } from '../panel/records.ts';
import type { DebateBrief } from './records.ts';

/** Context that an answer is validated against. */
export interface AnswerContext {
  readonly phase: TurnPhase;
  readonly options: DebateBrief['options'];
  readonly evidence: DebateBrief['evidence'];
}

/** Validates an answer that is already parsed. Never throws. */
export function parseAnswer(value: unknown, rules: AnswerContext): ParsedAnswer {
  return rules.phase === BALLOT_PHASE ? parseBallot(value, rules) : parsePosition(value, rules);
}
