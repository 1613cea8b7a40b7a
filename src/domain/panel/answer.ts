import type { JsonObject } from '../common/json.ts';
import { type ParseResult, parseAnswer } from '../llm/parse-answer.ts';

/** A validated answer of a seat in any phase. */
export interface SeatAnswer {
  /** Option id; absent in phases without a position. */
  readonly position?: string;
  readonly argument: string;
  readonly confidence: number;
  /** Option ids, best first; only for votes. The first option is the position. */
  readonly ranking?: readonly string[];
  /** Groups of options that the seat ranks equally. */
  readonly equal?: readonly (readonly string[])[];
  readonly evidenceIds: readonly string[];
  readonly changeReason: string | null;
  /** Further content of the panel's own form; stored by hash. */
  readonly content?: JsonObject;
  /** Ids of the seats that the answer addresses. */
  readonly addressed?: readonly string[];
}

/** A validated answer, or its errors, one per line. */
export type ParsedAnswer = ParseResult<SeatAnswer>;

/**
 * Parses an answer from the output of a model with {@link parseAnswer}. Two answers with the same
 * decision count as one. Throws only errors of `parse`.
 */
export function parseText(text: string, parse: (value: unknown) => ParsedAnswer): ParsedAnswer {
  return parseAnswer(text, parse, decisionPartOf);
}

function decisionPartOf({ position, ranking, addressed, content }: SeatAnswer): unknown {
  return { position, ranking, addressed, content };
}

/**
 * Checks whether a seat changed its position without support: it cites no new evidence and names no
 * error (`error: …`).
 */
export function isUnsupportedFlip(
  answer: SeatAnswer,
  before: { readonly position: string | undefined; readonly citedIds: readonly string[] },
): boolean {
  if (before.position === undefined || before.position === answer.position) return false;
  const hasNewEvidence = answer.evidenceIds.some((id) => !before.citedIds.includes(id));
  return !hasNewEvidence && !NAMED_ERROR.test(answer.changeReason ?? '');
}

const NAMED_ERROR = /^\s*error:\s*\S.{7,}/is;
