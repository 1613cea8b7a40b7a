import { z } from 'zod';
import { invariant } from '../common/error.ts';
import { hashJson } from '../common/hash.ts';
import { isObject, type JsonObject } from '../common/json.ts';
import { DataFailure } from './data-failure.ts';
import { Instant, Sha256, SourceRecord } from './source.ts';
import { DataValue } from './value.ts';

/** Share of the request that was answered. */
export const Completeness = z.enum(['full', 'partial', 'none']);
/** One of the {@link Completeness} values. */
export type Completeness = z.infer<typeof Completeness>;

/** Number of requested items, and the names of those without an answer. */
export const Coverage = z.object({
  asked: z.int().nonnegative(),
  answered: z.int().nonnegative(),
  missing: z
    .array(z.string())
    .describe('Names of the venues, records or sections without an answer.'),
});
/** A parsed {@link Coverage}. */
export type Coverage = z.infer<typeof Coverage>;

/** Location of the proof of an answer after its payment settles. */
export const Evidence = z.object({
  result_sha256: Sha256.describe(
    'SHA-256 of the canonical JSON of data, sources, coverage, faults.',
  ),
  proof_ref: z.string(),
  records: z.string().describe('Path of the proof on this server.'),
});

/** Returns the result schema that all data tools share. */
export function dataResultSchema<Data extends z.ZodType>(data: Data) {
  return z.object({
    tool: z.string(),
    request_id: z.string(),
    generated_at: Instant,
    completeness: Completeness,
    data: data.nullable().describe('null if no source answered. You are then not charged.'),
    sources: z.array(SourceRecord),
    coverage: Coverage,
    faults: z.array(DataFailure),
    method: z.record(z.string(), z.string()).describe('Methods used, with their versions.'),
    disclaimer: z.string().optional(),
    evidence: Evidence.nullable().describe('null if no source answered.'),
    statement: z.looseObject({}).optional().describe('Signed statement for the answer.'),
  });
}

/** An answer without its evidence. */
export interface DataAnswer {
  /** `null` if no source answered. */
  readonly data: JsonObject | null;
  readonly sources: readonly SourceRecord[];
  readonly coverage: Coverage;
  readonly faults: readonly DataFailure[];
  readonly method: Readonly<Record<string, string>>;
  readonly disclaimer?: string;
}

/** Returns how complete an answer is. */
export function assessCompleteness({ data, coverage }: DataAnswer): Completeness {
  if (data === null) return 'none';
  return coverage.missing.length === 0 ? 'full' : 'partial';
}

/** Returns the hash that binds an answer to its sources. */
export function hashAnswer({ data, sources, coverage, faults }: DataAnswer): string {
  return hashJson({ data, sources, coverage, faults });
}

/** Kind of the signed statement for each answer. */
export const ANSWER_STATEMENT_KIND = 'data_answer';

/** Fields that identify the call of an answer. */
export interface AnswerCall {
  readonly tool: string;
  readonly request_id: string;
  readonly generated_at: string;
  readonly completeness: string;
}

/** Returns the signed payload of an answer: its call, result hash and source digests. */
export function createSignedPayload(
  { tool, request_id, generated_at, completeness }: AnswerCall,
  { sources }: Pick<DataAnswer, 'sources'>,
  resultSha256: string,
): JsonObject {
  return {
    tool,
    request_id,
    generated_at,
    completeness,
    result_sha256: resultSha256,
    sources: sources.map(({ url, retrieved_at, bytes, sha256 }) => {
      return { url, retrieved_at, bytes, sha256 };
    }),
  };
}

/**
 * Checks that values cite listed sources, counts add up, and data has a source.
 *
 * @throws {AppError} `INVARIANT` with the violated rule.
 */
export function checkAnswer(answer: DataAnswer): void {
  const { asked, answered, missing } = answer.coverage;
  invariant(asked === answered + missing.length, 'what was asked is answered or missing');
  if (answer.data === null) return;
  invariant(answer.sources.length > 0, 'an answer has a source');
  const known = new Set(answer.sources.map(({ id }) => id));
  for (const value of iterateValues(answer.data)) {
    const isCited = value.sources.every((id) => known.has(id));
    invariant(isCited, 'a value cites sources that are listed');
  }
}

/**
 * Yields every value in an answer at any depth. An object with `value` and `unit` must be valid.
 */
export function* iterateValues(part: unknown): Generator<DataValue> {
  if (Array.isArray(part)) {
    for (const item of part) yield* iterateValues(item);
  } else if (isObject(part)) {
    if ('value' in part && 'unit' in part) yield DataValue.parse(part);
    else for (const item of Object.values(part)) yield* iterateValues(item);
  }
}
