import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';
import { DataFault } from '../data/fault.ts';

/** Most steps that one report plans. */
export const REPORT_STEPS_MAX = 60;
/** Longest request of a report, in characters of its JSON. */
export const REPORT_REQUEST_CHARS_MAX = 32_768;

/** A step as a report plans it. */
export const PlannedStep = z.object({
  stepId: z.string().min(1).max(100),
  title: z.string().min(1).max(200),
  /** Without it there is no report: where it fails, nothing behind it runs. */
  isRequired: z.boolean(),
});
/** See {@link PlannedStep}. */
export type PlannedStep = z.infer<typeof PlannedStep>;

/** How a step ended. What it found stands in the store, by hash. */
export const StepEnd = z.object({
  stepId: z.string(),
  /** The found JSON by hash; `null` for a step that failed. */
  sha: z.string().nullable(),
  fault: DataFault.nullable(),
  /** Milliseconds. */
  at: z.number(),
});
/** See {@link StepEnd}. */
export type StepEnd = z.infer<typeof StepEnd>;

/** What a report is created with. Plain JSON. */
export const ReportInput = z.object({
  /** The capability of whoever bought it. */
  jobId: z.string(),
  paymentId: z.string(),
  reportKind: z.string(),
  tool: z.string(),
  /** What was asked, as its tool has parsed it. */
  request: z.record(z.string(), z.json()),
  /** Longest time for all steps together, in milliseconds. */
  deadlineMs: z.number().int().positive(),
  priceMicroUsd: MicroUsdText,
});
/** See {@link ReportInput}. */
export type ReportInput = z.infer<typeof ReportInput>;

/** How a report ended. */
export type ReportOutcome =
  /** Every step has ended. */
  | 'complete'
  /** Time was up first: what was found by then is told. */
  | 'deadline'
  | 'cancelled'
  /** Nothing that was asked has answered. */
  | 'no_answer'
  /** A step without which there is no report came to nothing. */
  | 'step_failed'
  | 'failed';
