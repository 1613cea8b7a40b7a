import { z } from 'zod';
import { lookUp, type RegistryAnswer } from '../../actors/company/look-up.ts';
import { AppError } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type Chosen, chooseByName, chooseByNumber } from '../../domain/company/choose.ts';
import type { Registry } from '../../domain/company/registries.ts';
import { RegistryReport } from '../../domain/company/report.ts';
import { envelopeOf } from '../../domain/data/envelope.ts';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import { SourceList } from '../../domain/data/source.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { type DataToolDeps, dataAnswer } from '../data/data-answer.ts';
import { READS_OUTSIDE } from '../service/annotations.ts';

/** Milliseconds for all registries together. */
export const REGISTRIES_MS = 25 * SECOND_MS;
const NAME = 'data_business-registry';
const AUTO = 'auto';

const Input = z.strictObject({
  name: z.string().trim().min(2).max(200).optional().describe('Name of a business, or its number.'),
  number: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,20}$/)
    .optional()
    .describe('Number in the registry of its jurisdiction, or an LEI.'),
  jurisdiction: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]{2,3})?$|^global$|^auto$/)
    .default(AUTO)
    .describe('no, fr, gb, us-co, us-ny, us-sec, global (LEI), or auto: all that need no key.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Looks a business up in public registries: legal entity identifiers of the whole world, filers',
  'with the United States securities regulator, Colorado, New York, Great Britain, Norway, France.',
  'Answers name, number, status in one vocabulary beside the registry’s own words, dates, form and',
  'address, each record with its source, and how well its name fits (accents, scripts and legal',
  'forms do not count). Where several fit alike it says ambiguous and gives the candidates. No hit',
  'means only that the registries named in searched have none. Other jurisdictions are refused.',
].join(' ');

/** What the tool works with. */
export interface RegistryToolDeps extends DataToolDeps {
  readonly registries: readonly Registry[];
}

/** The tool that looks businesses up. */
export function businessRegistryTool(deps: RegistryToolDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: NAME,
    title: 'Public records of a business',
    description: DESCRIPTION,
    annotations: READS_OUTSIDE,
    input: Input,
    output: envelopeOf(RegistryReport),
    price: { amount: toText(microUsd('0.02')), flow: 'authorization' },
    ready: (input) => ({ registries: registriesFor(input, deps.registries).map(({ id }) => id) }),
    run: (input, context) => run(input, context, deps),
  };
}

async function run(
  input: Input,
  context: ToolContext,
  deps: RegistryToolDeps,
): Promise<ToolResult> {
  const { clock } = deps;
  const asked = registriesFor(input, deps.registries);
  const answers = await lookUp(asked, input, { deadline: clock.now() + REGISTRIES_MS });
  const sources = new SourceList();
  const searched = answers.map(({ registry, source }) => ({
    ...{ registry, answered: source !== null },
    cited: source === null ? null : sources.idOf(source),
  }));
  const chosen = choose(input, answers, sources);
  const silent = answers.filter(({ source }) => source === null);
  const isNone = silent.length === answers.length;
  const data: RegistryReport = {
    query: { name: input.name ?? null, number: input.number ?? null },
    ...chosen,
    searched,
  };
  return dataAnswer(deps, context, {
    tool: NAME,
    headline: headlineOf(input, chosen, isNone),
    data: isNone ? null : (data as unknown as JsonObject),
    sources: sources.records(),
    coverage: {
      asked: answers.length,
      answered: answers.length - silent.length,
      missing: silent.map(({ registry }) => registry),
    },
    faults: [...answers.flatMap(({ fault }) => fault ?? []), ...ambiguity(chosen)],
    method: METHOD,
    disclaimer: 'What registries publish. No hit is no proof that there is no such business.',
  });
}

const METHOD = {
  names: 'NFKC, lower case, Cyrillic and Greek in Latin letters, no accents, legal forms set aside',
  score: 'mean of Jaro-Winkler over name and words and of common pairs of letters; 1: the same',
  found: 'score of 0.88 and more, and in each registry one record alone',
};

function choose(
  { name, number }: Input,
  answers: readonly RegistryAnswer[],
  sources: SourceList,
): Chosen {
  const found = answers.flatMap(({ source, records }) =>
    source === null
      ? []
      : records.map((record) => ({ record: { ...record }, cited: sources.idOf(source) })),
  );
  return number === undefined ? chooseByName(name ?? '', found) : chooseByNumber(found);
}

function ambiguity({ outcome, candidates }: Chosen): readonly DataFault[] {
  if (outcome !== 'ambiguous') return [];
  const detail = `${candidates.length} records fit alike; ask again with the number of one.`;
  return [faultOf('ambiguous_entity', { upstream: candidates[0]?.registry ?? NAME, detail })];
}

function headlineOf({ name, number }: Input, chosen: Chosen, isNone: boolean): string {
  const whom = number ?? name ?? '';
  if (isNone) return `No registry answered about ${whom}.`;
  const [first] = chosen.records;
  if (chosen.outcome === 'ambiguous') return `${whom}: several records fit alike.`;
  if (first === undefined) return `${whom}: no record in the registries that were searched.`;
  const { entity_name, registry, status } = first;
  return `${entity_name} (${registry} ${first.number}): ${status}.`;
}

/** The registries to ask, or a refusal where none can answer. */
function registriesFor(
  { name, number, jurisdiction }: Input,
  registries: readonly Registry[],
): readonly Registry[] {
  const allowed = [AUTO, ...registries.map((one) => one.jurisdiction)];
  if (!allowed.includes(jurisdiction)) {
    throw new AppError('INPUT_INVALID', {
      message: 'No registry of that jurisdiction is read here, and none is scraped.',
      data: {
        ...{ path: 'jurisdiction', reason: 'unsupported_jurisdiction' },
        ...{ received: jurisdiction, allowed },
      },
    });
  }
  if ((name === undefined) === (number === undefined)) {
    throw new AppError('INPUT_INVALID', {
      message: 'A business is named by its name or by its number, and not by both.',
      data: { path: 'name', received: { name, number }, allowed: ['name', 'number'] },
    });
  }
  const asked =
    jurisdiction === AUTO
      ? registries.filter(({ missing }) => missing.length === 0)
      : registries.filter((one) => one.jurisdiction === jurisdiction);
  const variable = asked.flatMap(({ missing }) => missing)[0];
  if (variable !== undefined) {
    const message = `That registry answers only once the operator has set ${variable}.`;
    throw new AppError('NOT_CONFIGURED', { message, data: { variable } });
  }
  return number === undefined ? asked : withNumber(number, { jurisdiction, asked });
}

/** A number belongs to one registry; only an LEI says by itself to which. */
function withNumber(
  number: string,
  { jurisdiction, asked }: { readonly jurisdiction: string; readonly asked: readonly Registry[] },
): readonly Registry[] {
  const able = asked.filter((one) => {
    return one.isNumber(number) && (jurisdiction !== AUTO || one.jurisdiction === 'global');
  });
  if (able.length > 0) return able;
  throw new AppError('INPUT_INVALID', {
    message: 'That is no number of the registry, or its check digit is wrong.',
    data: {
      ...{ path: 'number', received: number },
      allowed: jurisdiction === AUTO ? 'an LEI, or a jurisdiction beside the number' : jurisdiction,
    },
  });
}
