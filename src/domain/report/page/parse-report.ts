import { z } from 'zod';
import { AppError } from '../../common/error.ts';
import { dataResultSchema } from '../../data/envelope.ts';
import { AnyReportState } from '../state.ts';

/** The answer of any data tool. */
export const AnyAnswer = dataResultSchema(z.looseObject({}));
/** The answer of any data tool. */
export type AnyAnswer = z.infer<typeof AnyAnswer>;

/** Input of a report page: an answer, its job, or a job without an answer. */
export interface ReportSource {
  readonly tool: string;
  /** `null` for a tool that answers immediately. */
  readonly job: AnyReportState | null;
  /** `null` if there is none yet. */
  readonly answer: AnyAnswer | null;
}

/** Creates the source of a page from the state of a job. */
export function toReportSource(job: AnyReportState): ReportSource {
  return { tool: job.tool, job, answer: job.report ?? null };
}

/**
 * Parses a saved file: the state of a report, the answer of a data tool, or a tool result with one
 * of them as structured content.
 *
 * @throws {AppError} `INPUT_INVALID` for any other value.
 */
export function parseReport(input: unknown): ReportSource {
  const inner = z.object({ structuredContent: z.unknown() }).safeParse(input);
  const value = inner.data?.structuredContent ?? input;
  const job = AnyReportState.safeParse(value);
  if (job.success) return toReportSource(job.data);
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
