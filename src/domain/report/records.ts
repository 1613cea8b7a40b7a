import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';
import { DataFailure } from '../data/data-failure.ts';

/** Maximum number of steps of a report. */
export const REPORT_STEPS_MAX = 60;
/** Maximum length of a request, in characters of its JSON. */
export const REPORT_REQUEST_CHARS_MAX = 32_768;

/** A planned step of a report. */
export const PlannedStep = z.object({
  stepId: z.string().min(1).max(100),
  title: z.string().min(1).max(200),
  /** Whether the report depends on this step. If it fails, no later step runs. */
  isRequired: z.boolean(),
});
/** A planned step of a report. */
export type PlannedStep = z.infer<typeof PlannedStep>;

/** Outcome of a step. Its data is in the blob store, by hash. */
export const StepOutcome = z.object({
  stepId: z.string(),
  /** Hash of the resulting JSON; `null` for a failed step. */
  sha: z.string().nullable(),
  fault: DataFailure.nullable(),
  /** Milliseconds since 1970. */
  at: z.number(),
});
/** Outcome of a step. */
export type StepOutcome = z.infer<typeof StepOutcome>;

/** Input of a report, as plain JSON. */
export const ReportInput = z.object({
  /** Job id, which grants access to the report. */
  jobId: z.string(),
  paymentId: z.string(),
  reportKind: z.string(),
  tool: z.string(),
  /** The request, as parsed by its tool. */
  request: z.record(z.string(), z.json()),
  /** Maximum total time of all steps, in milliseconds. */
  deadlineMs: z.number().int().positive(),
  priceMicroUsd: MicroUsdText,
});
/** Input of a report, as plain JSON. */
export type ReportInput = z.infer<typeof ReportInput>;

/** Outcome of a report. */
export type ReportOutcome =
  /** All steps ended. */
  | 'complete'
  /** The deadline passed; the report contains the results so far. */
  | 'deadline'
  | 'cancelled'
  /** No source responded. */
  | 'no_answer'
  /** A required step failed. */
  | 'step_failed'
  | 'failed';
