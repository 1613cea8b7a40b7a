import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { lookUpEntity, type RegistryAnswer } from '../../actors/company/look-up-entity.ts';
import { AppError } from '../../domain/common/error.ts';
import { toJson } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { chooseByName, chooseByNumber, type Selection } from '../../domain/company/choose.ts';
import type { Registry } from '../../domain/company/registries.ts';
import { RegistryReport } from '../../domain/company/report.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { dataResultSchema } from '../../domain/data/envelope.ts';
import { SourceList } from '../../domain/data/source.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { createDataResult } from '../data/data-answer.ts';
import { OPEN_WORLD_READ_HINTS } from '../service/annotations.ts';

/** Time limit for all registries together, in milliseconds. */
export const REGISTRIES_MS = 25 * SECOND_MS;
const NAME = 'data_business-registry';
const AUTO = 'auto';

const Input = z.strictObject({
  name: z.string().trim().min(2).max(200).optional().describe('Name; or pass number.'),
  number: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,20}$/)
    .optional()
    .describe('Registry number in its jurisdiction, or an LEI.'),
  jurisdiction: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]{2,3})?$|^global$|^auto$/)
    .default(AUTO)
    .describe('no, fr, gb, us-co, us-ny, us-sec, global (LEI), or auto: all that need no key.'),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.02';
const DESCRIPTION = [
  'Look up a business in public registries: LEI records worldwide, SEC filers, Colorado, New',
  'York, Great Britain, Norway and France. Returns name, number, status (normalized, beside the',
  'registry’s own term), dates, legal form and address. Each record has its source and a name',
  'score that ignores accents, scripts and legal forms. If several records match equally, returns',
  'ambiguous with candidates. An empty result means only that the registries in searched have no',
  'record. Other jurisdictions are refused. For filings use data_sec-edgar-filing, for a full',
  `report ops_due-diligence-scan. $${PRICE_USD} per call. You are not charged if no registry`,
  'answers.',
].join(' ');

/** Creates the tool `data_business-registry`. */
export function businessRegistryTool(
  deps: Pick<Services, 'clock' | 'registries' | 'trust'>,
): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Public business registry lookup',
    description: DESCRIPTION,
    summary:
      'Look up a business in public registries (LEI worldwide, SEC, US states, GB, NO, ' +
      'FR): status, dates, legal form, address. For filings use data_sec-edgar-filing. ' +
      'No charge without an answer.',
    example: { name: 'Equinor ASA', jurisdiction: 'no' },
    annotations: OPEN_WORLD_READ_HINTS,
    input: Input,
    output: dataResultSchema(RegistryReport),
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => ({
      registries: selectRegistries(input, deps.registries).map(({ id }) => id),
    }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(
  input: Input,
  context: ToolContext,
  deps: Pick<Services, 'clock' | 'registries' | 'trust'>,
): Promise<ToolResult> {
  const { clock } = deps;
  const asked = selectRegistries(input, deps.registries);
  const answers = await lookUpEntity(asked, input, { deadline: clock.now() + REGISTRIES_MS });
  const sources = new SourceList();
  const searched = answers.map(({ registry, source }) => ({
    registry,
    answered: source !== null,
    cited: source === null ? null : sources.assignId(source),
  }));
  const chosen = choose(input, answers, sources);
  const silent = answers.filter(({ source }) => source === null);
  const isNone = silent.length === answers.length;
  const data: RegistryReport = {
    query: { name: input.name ?? null, number: input.number ?? null },
    ...chosen,
    searched,
  };
  return createDataResult(deps, context, {
    tool: NAME,
    headline: headlineOf(input, chosen, isNone),
    data: isNone ? null : toJson(data),
    sources: sources.records(),
    coverage: {
      asked: answers.length,
      answered: answers.length - silent.length,
      missing: silent.map(({ registry }) => registry),
    },
    faults: [...answers.flatMap(({ fault }) => fault ?? []), ...ambiguityFaults(chosen)],
    method: METHOD,
    disclaimer: 'Registry data as published. No hit does not prove that no such business exists.',
  });
}

const METHOD = {
  names: 'NFKC, lower case, Cyrillic and Greek in Latin letters, without accents and legal forms',
  score: 'mean of Jaro-Winkler over name and words and of common pairs of letters; 1: the same',
  found: 'score of 0.88 or more, and the only such record in its registry',
};

function choose(
  { name, number }: Input,
  answers: readonly RegistryAnswer[],
  sources: SourceList,
): Selection {
  const found = answers.flatMap(({ source, records }) =>
    source === null
      ? []
      : records.map((record) => ({ record: { ...record }, cited: sources.assignId(source) })),
  );
  return number === undefined ? chooseByName(name ?? '', found) : chooseByNumber(found);
}

function ambiguityFaults({ outcome, candidates }: Selection): readonly DataFailure[] {
  if (outcome !== 'ambiguous') return [];
  const detail = `${candidates.length} records match equally; call again with the number of one.`;
  return [
    createDataFailure('ambiguous_entity', { upstream: candidates[0]?.registry ?? NAME, detail }),
  ];
}

function headlineOf({ name, number }: Input, chosen: Selection, isNone: boolean): string {
  const whom = number ?? name ?? '';
  if (isNone) return `No registry answered for ${whom}.`;
  const [first] = chosen.records;
  if (chosen.outcome === 'ambiguous') return `${whom}: several records match equally.`;
  if (first === undefined) return `${whom}: no record in the searched registries.`;
  const { entity_name, registry, status } = first;
  return `${entity_name} (${registry} ${first.number}): ${status}.`;
}

/** Returns the registries to ask; throws if none can answer. */
function selectRegistries(
  { name, number, jurisdiction }: Input,
  registries: readonly Registry[],
): readonly Registry[] {
  const allowed = [AUTO, ...registries.map((one) => one.jurisdiction)];
  if (!allowed.includes(jurisdiction)) {
    throw new AppError('INPUT_INVALID', {
      message:
        `\`jurisdiction\` is ${JSON.stringify(jurisdiction)}; ` +
        `this server has ${allowed.join(', ')}.`,
      data: {
        path: 'jurisdiction',
        reason: 'unsupported_jurisdiction',
        received: jurisdiction,
        allowed,
      },
    });
  }
  if ((name === undefined) === (number === undefined)) {
    throw new AppError('INPUT_INVALID', {
      message: 'Pass either `name` or `number`, not both.',
      data: { path: 'name', received: { name, number }, allowed: ['name', 'number'] },
    });
  }
  const asked =
    jurisdiction === AUTO
      ? registries.filter(({ missing }) => missing.length === 0)
      : registries.filter((one) => one.jurisdiction === jurisdiction);
  const variable = asked.flatMap(({ missing }) => missing)[0];
  if (variable !== undefined) {
    const message = `This registry is available only once the operator has set ${variable}.`;
    throw new AppError('NOT_CONFIGURED', { message, data: { variable } });
  }
  return number === undefined ? asked : filterByNumber(number, { jurisdiction, asked });
}

/** Keeps the registries that a number fits; only an LEI implies its registry. */
function filterByNumber(
  number: string,
  { jurisdiction, asked }: { readonly jurisdiction: string; readonly asked: readonly Registry[] },
): readonly Registry[] {
  const able = asked.filter((one) => {
    return one.isNumber(number) && (jurisdiction !== AUTO || one.jurisdiction === 'global');
  });
  if (able.length > 0) return able;
  throw new AppError('INPUT_INVALID', {
    message: '`number` does not have the form of this registry, or its check digit is wrong.',
    data: {
      path: 'number',
      received: number,
      allowed: jurisdiction === AUTO ? 'an LEI, or a number with its jurisdiction' : jurisdiction,
    },
  });
}
