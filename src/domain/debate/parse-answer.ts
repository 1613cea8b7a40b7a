import { type ParsedAnswer, parseText } from '../panel/answer.ts';
import { parseBallot, parsePosition } from '../panel/answer-forms.ts';
import { BALLOT_PHASE, type TurnPhase } from '../panel/records.ts';
import type { DebateBrief } from './records.ts';

/** Context that an answer is validated against. */
export interface AnswerContext {
  readonly phase: TurnPhase;
  readonly options: DebateBrief['options'];
  readonly evidence: DebateBrief['evidence'];
}

/**
 * Parses an answer from model output: the first valid JSON object, fenced or not. Options may be
 * given by id or exact name. Never throws.
 */
export function parseAnswerText(text: string, rules: AnswerContext): ParsedAnswer {
  return parseText(text, (value) => parseAnswer(value, rules));
}

/** Validates an answer that is already parsed. Never throws. */
export function parseAnswer(value: unknown, rules: AnswerContext): ParsedAnswer {
  return rules.phase === BALLOT_PHASE ? parseBallot(value, rules) : parsePosition(value, rules);
}
