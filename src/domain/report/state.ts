import { z } from 'zod';
import { Money } from '../common/money.ts';
import { DataFailure } from '../data/data-failure.ts';
import { dataResultSchema } from '../data/envelope.ts';
import { Instant } from '../data/source.ts';

/** A step of a report with its status. `skipped`: the report ended before it. */
export const StepLine = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(['waiting', 'running', 'done', 'failed', 'skipped']),
  fault: DataFailure.nullable(),
  ended_at: Instant.nullable(),
});
/** A step of a report with its status. */
export type StepLine = z.infer<typeof StepLine>;

/**
 * Creates the schema of the state of a report. Its shape is the same over the whole life of the
 * report.
 */
export function createReportStateSchema<Data extends z.ZodType>(data: Data) {
  return z.object({
    job_id: z.string(),
    tool: z.string(),
    kind: z.string().describe('Kind of the report.'),
    status: z.enum(['ordered', 'working', 'composing', 'published', 'aborted', 'failed', 'stuck']),
    steps: z.array(StepLine),
    steps_done: z.int(),
    steps_planned: z.int(),
    price: Money,
    refund: Money.nullable().describe('The refund, once it is known.'),
    page_path: z.string().describe('Path of the report as one page.'),
    outcome: z.string().nullable().describe('Final outcome; null while the report is in progress.'),
    reason: z.string().nullable(),
    poll_after_ms: z.number().optional(),
    report: dataResultSchema(data).optional().describe('The signed answer, once it exists.'),
  });
}

/** The state of a report of any kind. */
export const AnyReportState = createReportStateSchema(z.looseObject({}));
/** The state of a report of any kind. */
export type AnyReportState = z.infer<typeof AnyReportState>;

/** Base path of reports; the job id follows. */
export const REPORTS_PATH = '/v1/reports';
