import { type ParsedAnswer, parseText } from '../panel/answer.ts';
import { parseBallot, parseStand } from '../panel/forms.ts';
import { BALLOT_PHASE, type TurnPhase } from '../panel/records.ts';
import type { DebateBrief } from './records.ts';

/** Context that an answer is validated against. */
export interface AnswerRules {
  readonly phase: TurnPhase;
  readonly options: DebateBrief['options'];
  readonly evidence: DebateBrief['evidence'];
}

/**
 * Parses an answer from model output: the first valid JSON object, fenced or not. Options may be
 * given by id or exact name. Never throws.
 */
export function parseAnswerText(text: string, rules: AnswerRules): ParsedAnswer {
  return parseText(text, (value) => parseAnswer(value, rules));
}

/** Validates an answer that is already parsed. Never throws. */
export function parseAnswer(value: unknown, rules: AnswerRules): ParsedAnswer {
  return rules.phase === BALLOT_PHASE ? parseBallot(value, rules) : parseStand(value, rules);
}
