import { z } from 'zod';
import { AppError } from '../../common/error.ts';
import { envelopeOf } from '../../data/envelope.ts';
import { AnyReportState } from '../state.ts';

/** The answer of any data tool. */
export const AnyAnswer = envelopeOf(z.looseObject({}));
/** See {@link AnyAnswer}. */
export type AnyAnswer = z.infer<typeof AnyAnswer>;

/** What a page is made from: an answer, the job that made it, or a job without an answer. */
export interface ReportSource {
  readonly tool: string;
  /** `null` of a tool that answers at once. */
  readonly job: AnyReportState | null;
  /** `null` while there is none. */
  readonly answer: AnyAnswer | null;
}

/** The source that the state of a job is. */
export function sourceOfState(job: AnyReportState): ReportSource {
  return { tool: job.tool, job, answer: job.report ?? null };
}

/**
 * Reads what a caller has saved: the state of a report, the answer of a data tool, or a whole tool
 * result that holds one of both as its structured content.
 *
 * @throws {AppError} `INPUT_INVALID` for anything else.
 */
export function readReport(saved: unknown): ReportSource {
  const inner = z.object({ structuredContent: z.unknown() }).safeParse(saved);
  const value = inner.data?.structuredContent ?? saved;
  const job = AnyReportState.safeParse(value);
  if (job.success) return sourceOfState(job.data);
  const answer = AnyAnswer.safeParse(value);
  if (answer.success) return { tool: answer.data.tool, job: null, answer: answer.data };
  const [issue] = answer.error.issues;
  throw new AppError('INPUT_INVALID', {
    message: 'This is neither the state of a report nor the answer of a data tool.',
    data: {
      path: issue?.path.join('.') ?? '',
      received: issue?.message ?? '',
      allowed: 'structuredContent of a report, of get_result, or of a data tool',
    },
  });
}
