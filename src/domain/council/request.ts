import { z } from 'zod';
import { AppError } from '../common/error.ts';
import { PANEL_SEATS_MAX, PANEL_SEATS_MIN, WAIT_S_MAX } from '../panel/records.ts';
import { DeadlineField, EvidenceTexts, ShortName as Name } from '../panel/request-fields.ts';
import { ADVANCED } from '../tool/advanced.ts';
import { waitField } from '../tool/wait-field.ts';
import { COUNCIL_OPTION_IDS, COUNCIL_OPTIONS, type CouncilBrief, CouncilFacts } from './records.ts';
import { ROLE_NAMES, VETO_ROLES } from './roles.ts';

/** Maximum characters of all texts in a request; every seat reads all of them. */
export const COUNCIL_CHARS_MAX = 48_000;
/** Prefix of evidence ids that are assigned to parts of the facts. */
const FACT_PREFIX = 'facts.';

/** Arguments of `procurement_council`. */
export const CouncilRequest = z.strictObject({
  vendor: Name.describe('Name of the seller.'),
  product: Name.describe('Name of the product.'),
  question: z
    .string()
    .trim()
    .min(3)
    .max(4_000)
    .optional()
    .describe('Defaults to whether to buy the product.')
    .meta(ADVANCED),
  background: z
    .string()
    .max(20_000)
    .optional()
    .describe('Background for all roles.')
    .meta(ADVANCED),
  facts: CouncilFacts.optional().describe(
    'Facts by group; names state the units. Missing ones count as gaps. See ' +
      'stoa://tools/procurement_council.',
  ),
  evidence: EvidenceTexts.optional().describe(
    'Texts that roles may cite; ids default to e1, e2, ...',
  ),
  seats: z
    .int()
    .min(PANEL_SEATS_MIN)
    .max(PANEL_SEATS_MAX)
    .default(PANEL_SEATS_MIN)
    .describe(`Number of roles, in the order ${ROLE_NAMES.join(', ')}.`),
  seats_by: z
    .enum(['auto', 'models', 'rules', 'caller'])
    .default('auto')
    .describe('Who fills the roles: language models, checklists, or your own agent.'),
  policy: z
    .strictObject({
      veto: z
        .array(z.enum(VETO_ROLES))
        .max(VETO_ROLES.length)
        .optional()
        .describe('Roles whose red lines turn any approval into a rejection.'),
    })
    .optional()
    .describe('Rules of the council.')
    .meta(ADVANCED),
  cross_examination: z
    .boolean()
    .default(true)
    .describe('One round of questions and answers.')
    .meta(ADVANCED),
  start_date: z.iso
    .date()
    .optional()
    .describe('Start date for due dates of conditions. Defaults to today.')
    .meta(ADVANCED),
  deadline_s: DeadlineField,
  wait_s: waitField(WAIT_S_MAX, 20),
});
/** A parsed {@link CouncilRequest}. */
export type CouncilRequest = z.infer<typeof CouncilRequest>;

/**
 * Creates the brief of a request. Each part of the facts becomes citable evidence, such as
 * `facts.security`.
 *
 * @param today - YYYY-MM-DD.
 * @throws {AppError} `INPUT_INVALID` with the received and allowed values.
 */
export function createCouncilBrief(request: CouncilRequest, today: string): CouncilBrief {
  const { vendor, product, background, facts } = request;
  const brief = {
    question: request.question ?? `Should we buy ${product} from ${vendor}?`,
    ...(background === undefined ? {} : { background }),
    vendor,
    product,
    options: COUNCIL_OPTION_IDS.map((optionId) => ({ optionId, name: COUNCIL_OPTIONS[optionId] })),
    evidence: collectEvidence(request),
    ...(facts === undefined ? {} : { facts }),
    startsOn: request.start_date ?? today,
  };
  const chars = JSON.stringify(brief).length;
  if (chars > COUNCIL_CHARS_MAX) {
    rejectInput('', 'The texts are too long in total.', `${chars} characters`, COUNCIL_CHARS_MAX);
  }
  requireValidYears(facts);
  return brief;
}

/** Returns whether the brief has facts that the checklists can check. */
export function hasFacts({ facts }: CouncilBrief): boolean {
  return Object.values(facts ?? {}).some((part) => Object.keys(part ?? {}).length > 0);
}

function collectEvidence({ evidence = [], facts = {} }: CouncilRequest): CouncilBrief['evidence'] {
  const texts = evidence.map((item, index) =>
    typeof item === 'string'
      ? { evidenceId: `e${index + 1}`, text: item }
      : { evidenceId: item.id, text: item.text },
  );
  const ids = texts.map(({ evidenceId }) => evidenceId);
  const duplicateId = ids.find((id, place) => ids.indexOf(id) < place);
  if (duplicateId !== undefined)
    rejectInput('evidence', 'Evidence id is duplicated.', duplicateId, 'unique ids');
  const reservedId = ids.find((id) => id.startsWith(FACT_PREFIX));
  if (reservedId !== undefined) {
    rejectInput(
      'evidence',
      'The evidence id has a reserved prefix.',
      reservedId,
      `ids that do not start with ${FACT_PREFIX}`,
    );
  }
  const parts = Object.entries(facts).filter(([, part]) => part !== undefined);
  return [
    ...parts.map(([name, part]) => ({
      evidenceId: `${FACT_PREFIX}${name}`,
      text: JSON.stringify(part),
    })),
    ...texts,
  ];
}

function requireValidYears(facts: CouncilFacts | undefined): void {
  const { prices = [], savings = [], term_years = 0 } = facts?.money ?? {};
  for (const [path, lines] of Object.entries({ prices, savings })) {
    for (const [place, { name, from_year, to_year = from_year }] of lines.entries()) {
      if (from_year > term_years || to_year > term_years || to_year < from_year) {
        rejectInput(
          `facts.money.${path}.${place}`,
          `The years of “${name}” are not within the term.`,
          { from_year, to_year },
          `1 to ${term_years}, from_year not after to_year`,
        );
      }
    }
  }
}

function rejectInput(path: string, message: string, received: unknown, allowed: unknown): never {
  throw new AppError('INPUT_INVALID', { message, data: { path, received, allowed } });
}
