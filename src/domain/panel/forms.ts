import { z } from 'zod';
import { isObject } from '../common/json.ts';
import { cutText, findNamed, readList, readShare, withNames } from '../llm/near-values.ts';
import type { ParsedAnswer } from './answer.ts';
import type { PanelBrief } from './definition.ts';
import { ARGUMENT_CHARS_MAX } from './records.ts';

/** The options and evidence against which an answer is validated. */
export type FormRules = Pick<PanelBrief, 'options' | 'evidence'>;

/** Members of every answer form. */
export const CommonAnswer = {
  argument: z.preprocess(
    cutText(ARGUMENT_CHARS_MAX),
    z.string().trim().min(1).max(ARGUMENT_CHARS_MAX),
  ),
  confidence: z.preprocess(readShare, z.number().min(0).max(1)),
};

/** Ids that an answer cites. Malformed ids are dropped because citations decide nothing. */
export const CitedIds = z.preprocess(readList, z.array(z.unknown()).default([])).transform((ids) =>
  ids
    .flatMap(textsIn)
    .flatMap((id) => id.split(/[,;]/))
    .slice(0, EVIDENCE_IDS_MAX),
);

const StandAnswer = z.object({
  position: z.unknown(),
  ...CommonAnswer,
  evidenceIds: CitedIds,
  changeReason: z.preprocess(
    cutText(ARGUMENT_CHARS_MAX),
    z.string().max(ARGUMENT_CHARS_MAX).nullish().catch(null),
  ),
});
const VoteAnswer = z.object({ ranking: z.unknown(), ...CommonAnswer });
const NAMES = ['position', 'ranking', 'argument', 'confidence', 'evidenceIds', 'changeReason'];

/** Validates a position: one option with its argument and evidence. Never throws. */
export function parseStand(value: unknown, rules: FormRules): ParsedAnswer {
  const parsed = StandAnswer.safeParse(withNames(value, NAMES));
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(faultOf) };
  const { argument, confidence, changeReason = null, ...given } = parsed.data;
  const [named = '', other] = textsIn(given.position);
  const position = other === undefined ? optionIdOf(named, rules) : undefined;
  if (position === undefined) {
    return { ok: false, faults: [optionFault('position', given.position, rules)] };
  }
  const evidenceIds = knownEvidence(given.evidenceIds, rules);
  return { ok: true, answer: { position, argument, confidence, evidenceIds, changeReason } };
}

/**
 * Validates a ballot: options best first, by id or name. The first place of an option counts.
 * Unknown options are dropped if the first one is known. Never throws.
 */
export function parseBallot(value: unknown, rules: FormRules): ParsedAnswer {
  const parsed = VoteAnswer.safeParse(withNames(value, NAMES));
  if (!parsed.success) return { ok: false, faults: parsed.error.issues.map(faultOf) };
  const given = parsed.data;
  const names = rankedNames(given.ranking, rules);
  const ids = names.map((named) => optionIdOf(named, rules));
  const [position] = ids;
  if (position === undefined) {
    return { ok: false, faults: [optionFault('ranking', names[0] ?? given.ranking, rules)] };
  }
  const ranking = [...new Set(ids.filter((id) => id !== undefined))];
  const { argument, confidence } = given;
  const answer = { position, argument, confidence, ranking, evidenceIds: [], changeReason: null };
  return { ok: true, answer };
}

/**
 * Returns the names of a ranking in order. The input is a list, a text with `>`, or numbered
 * places.
 */
function rankedNames(ranking: unknown, rules: FormRules): readonly string[] {
  if (typeof ranking === 'string') return splitRanking(ranking, rules);
  if (Array.isArray(ranking)) {
    const rows = ranking.slice(0, RANKING_MAX);
    const places = rows.map((row) => (isObject(row) ? Number(row['rank'] ?? row['place']) : NaN));
    const hasPlaces = places.every(Number.isInteger) && new Set(places).size === places.length;
    const order = rows.map((_, at) => at);
    if (hasPlaces) order.sort((left, right) => (places[left] ?? 0) - (places[right] ?? 0));
    return order.flatMap((at) => {
      const [name, other] = textsIn(rows[at]);
      // Options that share a place have no order.
      return name === undefined || other !== undefined ? [''] : [name];
    });
  }
  if (!isObject(ranking)) return [];
  const rows = Object.entries(ranking).slice(0, RANKING_MAX);
  if (!rows.every(([place]) => /^\d{1,2}$/.test(place))) return [];
  return rows.flatMap(([, name]) => textsIn(name));
}

function splitRanking(text: string, rules: FormRules): readonly string[] {
  if (optionIdOf(text, rules) !== undefined) return [text];
  const sign = [/>/, /\n/, /;/, /,/].find((one) => one.test(text));
  if (sign === undefined) return [text];
  return text
    .split(sign, RANKING_MAX)
    .map((part) => part.replace(/^\s*\d{1,2}[.)]\s+/, ''))
    .filter((part) => part.trim() !== '');
}

/** Returns the texts that a value names: itself, a number, the items of a list, or its id. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.slice(0, RANKING_MAX).flatMap(textsIn);
  if (!isObject(value)) return [];
  const id = ID_NAMES.map((name) => value[name]).find((one) => typeof one === 'string');
  return typeof id === 'string' ? [id] : [];
}

const ID_NAMES = ['id', 'optionId', 'option_id', 'option', 'position', 'name', 'choice', 'value'];
const RANKING_MAX = 64;
const EVIDENCE_IDS_MAX = 64;

/** Formats a schema error. */
export function faultOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.length === 0 ? 'answer' : issue.path.join('.');
  return `${path}: ${issue.message}`;
}

/** Finds the option that an answer names by id, name or a similar form. */
export function optionIdOf(named: string, { options }: FormRules): string | undefined {
  return findNamed(
    named,
    options.map(({ optionId, name }) => ({ id: optionId, name })),
  );
}

/** Formats the error for an unknown option, with the allowed ones. */
export function optionFault(path: string, received: unknown, { options }: FormRules): string {
  const allowed = options.map((option) => option.optionId).join(', ');
  return `${path}: ${shorten(received)} is none of ${allowed}`;
}

/** Returns the ids of existing evidence, without duplicates. */
export function knownEvidence(
  ids: readonly string[],
  { evidence }: Pick<FormRules, 'evidence'>,
): string[] {
  const all = evidence.map(({ evidenceId }) => ({ id: evidenceId }));
  return [...new Set(ids.flatMap((id) => findNamed(id, all) ?? []))];
}

function shorten(received: unknown): string {
  return JSON.stringify(received ?? null).slice(0, 80);
}
