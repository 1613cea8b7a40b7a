import { type ParsedAnswer, parseText } from '../panel/answer.ts';
import { parseBallot, parseStand } from '../panel/forms.ts';
import { BALLOT_PHASE, type TurnPhase } from '../panel/records.ts';
import type { DebateBrief } from './records.ts';

/** What an answer is checked against. */
export interface AnswerRules {
  readonly phase: TurnPhase;
  readonly options: DebateBrief['options'];
  readonly evidence: DebateBrief['evidence'];
}

/**
 * Reads an answer from the text of a model: the first JSON object in it that fits, fenced or not.
 * Options may be given by id or by exact name. Never throws.
 */
export function parseAnswerText(text: string, rules: AnswerRules): ParsedAnswer {
  return parseText(text, (value) => parseAnswer(value, rules));
}

/** Checks an answer that is already a value. Never throws. */
export function parseAnswer(value: unknown, rules: AnswerRules): ParsedAnswer {
  return rules.phase === BALLOT_PHASE ? parseBallot(value, rules) : parseStand(value, rules);
}
