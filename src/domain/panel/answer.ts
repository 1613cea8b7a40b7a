import type { JsonObject } from '../common/json.ts';
import { type Reading, readAnswer } from '../llm/model-answer.ts';

/** A seat's answer, checked, whatever form its phase asks for. */
export interface Answer {
  /** Option id; absent where a phase asks for no position. */
  readonly position?: string;
  readonly argument: string;
  readonly confidence: number;
  /** Option ids, best first; on votes. Its first option is the position. */
  readonly ranking?: readonly string[];
  /** Groups of options in the ranking that the seat holds equal. */
  readonly equal?: readonly (readonly string[])[];
  readonly evidenceIds: readonly string[];
  readonly changeReason: string | null;
  /** What the panel's own form holds beside the argument; kept by hash. */
  readonly content?: JsonObject;
  /** Seats that are spoken to, by id. */
  readonly addressed?: readonly string[];
}

/** An answer, or what is wrong with it, one line per fault. */
export type ParsedAnswer = Reading<Answer>;

/**
 * Reads an answer from the text of a model, as {@link readAnswer} does. Two answers are one where
 * they decide the same. Never throws if `parse` does not.
 */
export function parseText(text: string, parse: (value: unknown) => ParsedAnswer): ParsedAnswer {
  return readAnswer(text, parse, decisionOf);
}

function decisionOf({ position, ranking, addressed, content }: Answer): unknown {
  return { position, ranking, addressed, content };
}

/**
 * Tells whether a change of mind came without support: neither evidence that the seat had not cited
 * before, nor an error that it names (`error: …`).
 */
export function isUnsupportedFlip(
  answer: Answer,
  before: { readonly position: string | undefined; readonly citedIds: readonly string[] },
): boolean {
  if (before.position === undefined || before.position === answer.position) return false;
  const hasNewEvidence = answer.evidenceIds.some((id) => !before.citedIds.includes(id));
  return !hasNewEvidence && !NAMED_ERROR.test(answer.changeReason ?? '');
}

const NAMED_ERROR = /^\s*error:\s*\S.{7,}/is;
