import { z } from 'zod';
import { invariant } from '../common/error.ts';
import { hashJson } from '../common/hash.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { DataFault } from './fault.ts';
import { Instant, Sha256, SourceRecord } from './source.ts';
import { DataValue } from './value.ts';

/** How much of what was asked has an answer. */
export const Completeness = z.enum(['full', 'partial', 'none']);
/** See {@link Completeness}. */
export type Completeness = z.infer<typeof Completeness>;

/** What was asked, and of what there is no answer. */
export const Coverage = z.object({
  asked: z.int().nonnegative(),
  answered: z.int().nonnegative(),
  missing: z.array(z.string()).describe('By name: venues, records, sections.'),
});
/** See {@link Coverage}. */
export type Coverage = z.infer<typeof Coverage>;

/** Where the proof of an answer is, once its payment has settled. */
export const Evidence = z.object({
  result_sha256: Sha256.describe('Of the canonical JSON of data, sources, coverage and faults.'),
  proof_ref: z.string(),
  records: z.string().describe('Path of the proof on this server.'),
});

/** The one shape that every data tool answers in. */
export function envelopeOf<Data extends z.ZodType>(data: Data) {
  return z.object({
    tool: z.string(),
    request_id: z.string(),
    generated_at: Instant,
    completeness: Completeness,
    data: data.nullable().describe('null when nothing answered; then nothing is charged.'),
    sources: z.array(SourceRecord),
    coverage: Coverage,
    faults: z.array(DataFault),
    method: z.record(z.string(), z.string()).describe('How it was done, in words and versions.'),
    disclaimer: z.string().optional(),
    evidence: Evidence.nullable().describe('null when nothing answered.'),
    statement: z.looseObject({}).optional().describe('The signed statement over the answer.'),
  });
}

/** An answer without its evidence. */
export interface DataAnswer {
  /** `null`: nothing answered. */
  readonly data: JsonObject | null;
  readonly sources: readonly SourceRecord[];
  readonly coverage: Coverage;
  readonly faults: readonly DataFault[];
  readonly method: Readonly<Record<string, string>>;
  readonly disclaimer?: string;
}

/** How complete an answer is. */
export function completenessOf({ data, coverage }: DataAnswer): Completeness {
  if (data === null) return 'none';
  return coverage.missing.length === 0 ? 'full' : 'partial';
}

/** The hash that binds what was answered to what was read. */
export function answerHash({ data, sources, coverage, faults }: DataAnswer): string {
  return hashJson({ data, sources, coverage, faults });
}

/**
 * Holds an answer to the rules: every value cites sources that are listed, what is counted adds up,
 * and an answer without data has no source that stands for it.
 *
 * @throws {AppError} `INVARIANT` naming the rule.
 */
export function checkAnswer(answer: DataAnswer): void {
  const { asked, answered, missing } = answer.coverage;
  invariant(asked === answered + missing.length, 'what was asked is answered or missing');
  if (answer.data === null) return;
  invariant(answer.sources.length > 0, 'an answer has a source');
  const known = new Set(answer.sources.map(({ id }) => id));
  for (const value of valuesIn(answer.data)) {
    const isCited = value.sources.every((id) => known.has(id));
    invariant(isCited, 'a value cites sources that are listed');
  }
}

/** Every value inside an answer, however deep; what looks like one must be one. */
export function* valuesIn(part: unknown): Generator<DataValue> {
  if (Array.isArray(part)) {
    for (const item of part) yield* valuesIn(item);
  } else if (isObject(part)) {
    if ('value' in part && 'unit' in part) yield DataValue.parse(part);
    else for (const item of Object.values(part)) yield* valuesIn(item);
  }
}
