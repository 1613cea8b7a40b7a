import { z } from 'zod';
import { AppError } from '../common/error.ts';
import { PANEL_SEATS_MAX, PANEL_SEATS_MIN, WAIT_S_MAX } from '../panel/records.ts';
import { DeadlineField, EvidenceTexts, ShortName as Name } from '../panel/request-fields.ts';
import { ADVANCED } from '../tool/advanced.ts';
import { waitField } from '../tool/wait-field.ts';
import {
  type DebateBrief,
  type DebateCriterion,
  type DebateOption,
  OPTIONS_MAX,
  ROUNDS_MAX,
} from './records.ts';

/** Maximum characters of all texts in a request; every seat reads all of them. */
export const REQUEST_CHARS_MAX = 48_000;
/** Maximum number of criteria. */
export const CRITERIA_MAX = 12;

/** Arguments of `deliberation_multi-agent-debate`. */
export const DebateRequest = z.strictObject({
  question: z.string().trim().min(3).max(4_000).describe('The question to decide.'),
  background: z
    .string()
    .max(20_000)
    .optional()
    .describe('Background for all seats.')
    .meta(ADVANCED),
  options: z
    .array(
      z.union([
        Name,
        z.strictObject({
          name: Name.describe('Name.'),
          description: z.string().max(2_000).optional().describe('What the option is.'),
          scores: z.record(z.string(), z.number()).optional().describe('Score per criterion name.'),
        }),
      ]),
    )
    .min(2)
    .max(OPTIONS_MAX)
    .describe('Options, as names or with description and scores.'),
  criteria: z
    .array(
      z.strictObject({
        name: Name.describe('Name.'),
        weight: z.number().positive().max(1_000).default(1).describe('Weight. Default: 1.'),
        higher_is_better: z.boolean().default(true).describe('Default: true.'),
      }),
    )
    .max(CRITERIA_MAX)
    .optional()
    .describe('Criteria that options are scored by.'),
  evidence: EvidenceTexts.optional()
    .describe('Texts that seats may cite; ids default to e1, e2, ...')
    .meta(ADVANCED),
  seats: z
    .int()
    .min(PANEL_SEATS_MIN)
    .max(PANEL_SEATS_MAX)
    .default(PANEL_SEATS_MIN)
    .describe('Number of agents; odd numbers tie less often.'),
  seats_by: z
    .enum(['auto', 'models', 'rules', 'caller'])
    .default('auto')
    .describe('Who fills the seats: language models, decision procedures, or your own agent.'),
  max_rounds: z
    .int()
    .min(0)
    .max(ROUNDS_MAX)
    .default(1)
    .describe('Maximum number of rebuttal rounds.')
    .meta(ADVANCED),
  tie_default: Name.optional()
    .describe('Option that wins an unresolved tie. Defaults to the first by name.')
    .meta(ADVANCED),
  deadline_s: DeadlineField,
  devils_advocate: z
    .boolean()
    .optional()
    .describe('Defaults to true for 7 or more seats.')
    .meta(ADVANCED),
  wait_s: waitField(WAIT_S_MAX, 20),
});
/** A parsed {@link DebateRequest}. */
export type DebateRequest = z.infer<typeof DebateRequest>;

/**
 * Creates the brief of a request: options `o1…`, criteria `c1…`, evidence `e1…` in the given order.
 *
 * @throws {AppError} `INPUT_INVALID` with the received and allowed values, for duplicate names,
 * scores without a criterion, or too much text.
 */
export function createDebateBrief(request: DebateRequest): DebateBrief {
  const { question, background } = request;
  const criteria = createCriteria(request);
  const brief = {
    question,
    ...(background === undefined ? {} : { background }),
    options: createOptions(request, criteria),
    criteria,
    evidence: createEvidence(request),
  };
  const chars = JSON.stringify(brief).length;
  if (chars > REQUEST_CHARS_MAX) {
    rejectInput('', 'The texts are too long in total.', `${chars} characters`, REQUEST_CHARS_MAX);
  }
  return brief;
}

/**
 * Returns the option that wins ties: the requested one, or else the first by name, because list
 * order must not decide.
 *
 * @throws {AppError} `INPUT_INVALID` if the requested option does not exist.
 */
export function findTieDefault(request: DebateRequest, { options }: DebateBrief): string {
  const requestedName = request.tie_default;
  const byName = [...options].sort((one, other) => (one.name < other.name ? -1 : 1));
  const found =
    requestedName === undefined
      ? byName[0]
      : options.find(({ name }) => isSameName(name, requestedName));
  if (found !== undefined) return found.optionId;
  const allowed = options.map((option) => option.name);
  return rejectInput(
    'tie_default',
    '`tie_default` is not one of the options.',
    requestedName,
    allowed,
  );
}

/** Lists the scores that rule seats lack, as `option / criterion`. */
export function listMissingScores({ options, criteria }: DebateBrief): readonly string[] {
  return options.flatMap((option) =>
    criteria
      .filter(({ criterionId }) => !Number.isFinite(option.scores?.[criterionId]))
      .map((criterion) => `${option.name} / ${criterion.name}`),
  );
}

function createCriteria(request: DebateRequest): DebateCriterion[] {
  const given = request.criteria ?? [];
  requireUnique(
    'criteria',
    given.map((criterion) => criterion.name),
  );
  return given.map(({ name, weight, higher_is_better }, index) => ({
    criterionId: `c${index + 1}`,
    name,
    weight,
    higherIsBetter: higher_is_better,
  }));
}

function createOptions(
  request: DebateRequest,
  criteria: readonly DebateCriterion[],
): DebateOption[] {
  const given = request.options.map((option) =>
    typeof option === 'string' ? { name: option } : option,
  );
  requireUnique(
    'options',
    given.map((option) => option.name),
  );
  return given.map(({ name, description, scores }: RequestedOption, place) => ({
    optionId: `o${place + 1}`,
    name,
    ...(description === undefined ? {} : { description }),
    ...(scores === undefined ? {} : { scores: mapScoresToIds(scores, criteria, place) }),
  }));
}

interface RequestedOption {
  readonly name: string;
  readonly description?: string | undefined;
  readonly scores?: Readonly<Record<string, number>> | undefined;
}

function mapScoresToIds(
  scores: Readonly<Record<string, number>>,
  criteria: readonly DebateCriterion[],
  place: number,
): Record<string, number> {
  const entries = Object.entries(scores).map(([name, score]) => {
    const criterion = criteria.find((one) => isSameName(one.name, name));
    if (criterion !== undefined) return [criterion.criterionId, score] as const;
    const allowed = criteria.map((one) => one.name);
    return rejectInput(
      `options.${place}.scores`,
      'A score has no matching criterion.',
      name,
      allowed,
    );
  });
  return Object.fromEntries(entries);
}

function createEvidence({ evidence = [] }: DebateRequest): DebateBrief['evidence'] {
  const items = evidence.map((item, place) =>
    typeof item === 'string'
      ? { evidenceId: `e${place + 1}`, text: item }
      : { evidenceId: item.id, text: item.text },
  );
  requireUnique(
    'evidence',
    items.map((item) => item.evidenceId),
  );
  return items;
}

function requireUnique(path: string, names: readonly string[]): void {
  const duplicate = names.find(
    (name, place) => names.findIndex((one) => isSameName(one, name)) < place,
  );
  if (duplicate !== undefined) {
    rejectInput(path, `A name is duplicated in ${path}.`, duplicate, 'unique names');
  }
}

function isSameName(left: string, right: string): boolean {
  return left.trim().toLowerCase() === right.trim().toLowerCase();
}

function rejectInput(path: string, message: string, received: unknown, allowed: unknown): never {
  throw new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}
