import { z } from 'zod';
import { isObject } from '../json.ts';
import { ARGUMENT_CHARS_MAX, type DebateBrief, type TurnPhase } from './records.ts';

/** A seat's answer, checked. `ranking` is there on votes; its first option is the position. */
export interface Answer {
  readonly position: string;
  readonly argument: string;
  readonly confidence: number;
  readonly ranking?: readonly string[];
  readonly evidenceIds: readonly string[];
  readonly changeReason: string | null;
}

/** An answer, or what is wrong with it, one line per fault. */
export type ParsedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly faults: readonly string[] };

/** What an answer is checked against. */
export interface AnswerRules {
  readonly phase: TurnPhase;
  readonly options: DebateBrief['options'];
  readonly evidence: DebateBrief['evidence'];
}

/** Characters of a model's text that are looked at. */
const TEXT_CHARS_MAX = 65_536;
/** Most opening braces that are tried. */
const STARTS_MAX = 32;

/**
 * Reads an answer from the text of a model: the first JSON object in it that fits, fenced or not.
 * Options may be given by id or by exact name. Never throws.
 */
export function parseAnswerText(text: string, rules: AnswerRules): ParsedAnswer {
  let best: ParsedAnswer = { ok: false, faults: ['the text holds no JSON object'] };
  for (const value of jsonObjects(text.slice(0, TEXT_CHARS_MAX))) {
    const parsed = parseAnswer(value, rules);
    if (parsed.ok) return parsed;
    if (best.ok || best.faults[0] === 'the text holds no JSON object') best = parsed;
  }
  return best;
}

/** Checks an answer that is already a value. Never throws. */
export function parseAnswer(value: unknown, rules: AnswerRules): ParsedAnswer {
  const shape = rules.phase === 'vote' ? VoteAnswer : StandAnswer;
  const parsed = shape.safeParse(value);
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(faultOf) };
  return 'ranking' in parsed.data
    ? checkVote(parsed.data, rules)
    : checkStand(parsed.data as z.infer<typeof StandAnswer>, rules);
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

const Common = {
  argument: z.string().trim().min(1).max(ARGUMENT_CHARS_MAX),
  confidence: z.number().min(0).max(1),
};
const StandAnswer = z.object({
  position: z.string(),
  ...Common,
  evidenceIds: z.array(z.string()).max(64).default([]),
  changed: z.boolean().optional(),
  changeReason: z.string().max(ARGUMENT_CHARS_MAX).nullish(),
});
const VoteAnswer = z.object({ ranking: z.array(z.string()).min(1).max(64), ...Common });

function faultOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.length === 0 ? 'answer' : issue.path.join('.');
  return `${path}: ${issue.message}`;
}

function checkStand(given: z.infer<typeof StandAnswer>, rules: AnswerRules): ParsedAnswer {
  const faults: string[] = [];
  const position = optionIdOf(given.position, rules);
  if (position === undefined) faults.push(optionFault('position', given.position, rules));
  const known = new Set(rules.evidence.map((item) => item.evidenceId));
  for (const id of given.evidenceIds) {
    if (!known.has(id)) faults.push(`evidenceIds: no evidence has the id ${quoted(id)}`);
  }
  if (position === undefined || faults.length > 0) return { ok: false, faults };
  const { argument, confidence, evidenceIds, changeReason = null } = given;
  return { ok: true, answer: { position, argument, confidence, evidenceIds, changeReason } };
}

function checkVote(given: z.infer<typeof VoteAnswer>, rules: AnswerRules): ParsedAnswer {
  const faults: string[] = [];
  const ranking: string[] = [];
  for (const named of given.ranking) {
    const optionId = optionIdOf(named, rules);
    if (optionId === undefined) faults.push(optionFault('ranking', named, rules));
    else if (ranking.includes(optionId)) faults.push(`ranking: ${optionId} stands there twice`);
    else ranking.push(optionId);
  }
  const [position] = ranking;
  if (position === undefined || faults.length > 0) return { ok: false, faults };
  const { argument, confidence } = given;
  const answer = { position, argument, confidence, ranking, evidenceIds: [], changeReason: null };
  return { ok: true, answer };
}

function optionIdOf(named: string, rules: AnswerRules): string | undefined {
  const wanted = named.trim().toLowerCase();
  return rules.options.find(
    ({ optionId, name }) => optionId === wanted || name.trim().toLowerCase() === wanted,
  )?.optionId;
}

function optionFault(path: string, received: string, rules: AnswerRules): string {
  const allowed = rules.options.map((option) => option.optionId).join(', ');
  return `${path}: ${quoted(received)} is none of ${allowed}`;
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

function* jsonObjects(text: string): Generator<unknown> {
  let from = text.indexOf('{');
  for (let tried = 0; from >= 0 && tried < STARTS_MAX; tried += 1) {
    const end = closingBrace(text, from);
    const value = end < 0 ? undefined : parseObject(text.slice(from, end + 1));
    if (value !== undefined) yield value;
    from = text.indexOf('{', value === undefined ? from + 1 : end + 1);
  }
}

function closingBrace(text: string, from: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (isQuoted && char === '\\') at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && char === '{') depth += 1;
    else if (!isQuoted && char === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
