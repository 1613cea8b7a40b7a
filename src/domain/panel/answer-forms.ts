import { z } from 'zod';
import { isObject } from '../common/json.ts';
import {
  coerceList,
  coerceShare,
  findReferenced,
  normalizeNames,
  truncateText,
} from '../llm/coerce.ts';
import type { ParsedAnswer } from './answer.ts';
import type { PanelBrief } from './definition.ts';
import { ARGUMENT_CHARS_MAX } from './records.ts';

/** The options and evidence against which an answer is validated. */
export type AnswerChoices = Pick<PanelBrief, 'options' | 'evidence'>;

/** Members of every answer form. */
export const CommonAnswer = {
  argument: z.preprocess(
    truncateText(ARGUMENT_CHARS_MAX),
    z.string().trim().min(1).max(ARGUMENT_CHARS_MAX),
  ),
  confidence: z.preprocess(coerceShare, z.number().min(0).max(1)),
};

/** Ids that an answer cites. Malformed ids are dropped because citations decide nothing. */
export const CitedIds = z
  .preprocess(coerceList, z.array(z.unknown()).default([]))
  .transform((ids) =>
    ids
      .flatMap(namesIn)
      .flatMap((id) => id.split(/[,;]/))
      .slice(0, EVIDENCE_IDS_MAX),
  );

const PositionAnswer = z.object({
  position: z.unknown(),
  ...CommonAnswer,
  evidenceIds: CitedIds,
  changeReason: z.preprocess(
    truncateText(ARGUMENT_CHARS_MAX),
    z.string().max(ARGUMENT_CHARS_MAX).nullish().catch(null),
  ),
});
const VoteAnswer = z.object({ ranking: z.unknown(), ...CommonAnswer });
const NAMES = ['position', 'ranking', 'argument', 'confidence', 'evidenceIds', 'changeReason'];

/** Validates a position: one option with its argument and evidence. Never throws. */
export function parsePosition(value: unknown, rules: AnswerChoices): ParsedAnswer {
  const parsed = PositionAnswer.safeParse(normalizeNames(value, NAMES));
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(formatIssue) };
  const { argument, confidence, changeReason = null, ...rest } = parsed.data;
  const [reference = '', other] = namesIn(rest.position);
  const position = other === undefined ? findOptionId(reference, rules) : undefined;
  if (position === undefined) {
    return { ok: false, faults: [formatOptionError('position', rest.position, rules)] };
  }
  const evidenceIds = filterKnownEvidence(rest.evidenceIds, rules);
  return { ok: true, answer: { position, argument, confidence, evidenceIds, changeReason } };
}

/**
 * Validates a ballot: options best first, by id or name. The first place of an option counts.
 * Unknown options are dropped if the first one is known. Never throws.
 */
export function parseBallot(value: unknown, rules: AnswerChoices): ParsedAnswer {
  const parsed = VoteAnswer.safeParse(normalizeNames(value, NAMES));
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(formatIssue) };
  const parsedVote = parsed.data;
  const names = readRanking(parsedVote.ranking, rules);
  const ids = names.map((named) => findOptionId(named, rules));
  const [position] = ids;
  if (position === undefined) {
    return {
      ok: false,
      faults: [formatOptionError('ranking', names[0] ?? parsedVote.ranking, rules)],
    };
  }
  const ranking = [...new Set(ids.filter((id) => id !== undefined))];
  const { argument, confidence } = parsedVote;
  const answer = { position, argument, confidence, ranking, evidenceIds: [], changeReason: null };
  return { ok: true, answer };
}

/**
 * Returns the names of a ranking in order. The input is a list, a text with `>`, or numbered
 * places.
 */
function readRanking(ranking: unknown, rules: AnswerChoices): readonly string[] {
  if (typeof ranking === 'string') return splitRanking(ranking, rules);
  if (Array.isArray(ranking)) {
    const rows = ranking.slice(0, RANKING_MAX);
    const places = rows.map((row) => (isObject(row) ? Number(row['rank'] ?? row['place']) : NaN));
    const isNumbered = places.every(Number.isInteger) && new Set(places).size === places.length;
    const order = rows.map((_, at) => at);
    if (isNumbered) order.sort((left, right) => (places[left] ?? 0) - (places[right] ?? 0));
    return order.flatMap((at) => {
      const [name, other] = namesIn(rows[at]);
      // Options that share a place have no order.
      return name === undefined || other !== undefined ? [''] : [name];
    });
  }
  if (!isObject(ranking)) return [];
  const rows = Object.entries(ranking).slice(0, RANKING_MAX);
  if (!rows.every(([place]) => /^\d{1,2}$/.test(place))) return [];
  return rows.flatMap(([, name]) => namesIn(name));
}

function splitRanking(text: string, rules: AnswerChoices): readonly string[] {
  if (findOptionId(text, rules) !== undefined) return [text];
  const sign = [/>/, /\n/, /;/, /,/].find((one) => one.test(text));
  if (sign === undefined) return [text];
  return text
    .split(sign, RANKING_MAX)
    .map((part) => part.replace(/^\s*\d{1,2}[.)]\s+/, ''))
    .filter((part) => part.trim() !== '');
}

/** Returns the texts that a value names: itself, a number, the items of a list, or its id. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.slice(0, RANKING_MAX).flatMap(namesIn);
  if (!isObject(value)) return [];
  const id = ID_NAMES.map((name) => value[name]).find((one) => typeof one === 'string');
  return typeof id === 'string' ? [id] : [];
}

const ID_NAMES = ['id', 'optionId', 'option_id', 'option', 'position', 'name', 'choice', 'value'];
const RANKING_MAX = 64;
const EVIDENCE_IDS_MAX = 64;

/** Formats a schema error. */
export function formatIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.length === 0 ? 'answer' : issue.path.join('.');
  return `${path}: ${issue.message}`;
}

/** Finds the option that an answer names by id, name or a similar form. */
export function findOptionId(named: string, { options }: AnswerChoices): string | undefined {
  return findReferenced(
    named,
    options.map(({ optionId, name }) => ({ id: optionId, name })),
  );
}

/** Formats the error for an unknown option, with the allowed ones. */
export function formatOptionError(
  path: string,
  received: unknown,
  { options }: AnswerChoices,
): string {
  const allowed = options.map((option) => option.optionId).join(', ');
  return `${path}: ${excerpt(received)} is none of ${allowed}`;
}

/** Returns the ids of existing evidence, without duplicates. */
export function filterKnownEvidence(
  ids: readonly string[],
  { evidence }: Pick<AnswerChoices, 'evidence'>,
): string[] {
  const all = evidence.map(({ evidenceId }) => ({ id: evidenceId }));
  return [...new Set(ids.flatMap((id) => findReferenced(id, all) ?? []))];
}

function excerpt(received: unknown): string {
  return JSON.stringify(received ?? null).slice(0, 80);
}
