import type { JsonObject } from '../common/json.ts';
import type { ToolResult } from '../tool/tool-result.ts';

/** State of a job. `needs_input` waits for the buyer; `ended` and `cancelled` are final. */
export type JobStatus = 'working' | 'needs_input' | 'ended' | 'cancelled';

/**
 * How a job ended: with what was bought, refused for a reason on the buyer's side, or without a
 * result. `refused` and `failed` are refunded.
 */
export type JobOutcome = 'delivered' | 'refused' | 'failed';

/** A request to the buyer's side: one model completion, or a form for a person. */
export interface JobQuestion {
  /** Unique within the job. */
  readonly askId: string;
  readonly system: string;
  readonly prompt: string;
  /** JSON Schema of the answer. For a form, an object of plain fields. */
  readonly schema: JsonObject;
  /** Whether a person fills it in. */
  readonly isForm?: boolean;
}

/**
 * The answer of the buyer's agent to a {@link JobQuestion}: JSON, or model output that contains it.
 */
export interface JobAnswer {
  readonly askId: string;
  readonly answer: string | JsonObject;
}

/** The state of a job of any kind. */
export interface JobState {
  readonly jobId: string;
  readonly status: JobStatus;
  /** How it ended; only with `ended`. Default: `delivered`. */
  readonly outcome?: JobOutcome;
  /** One-line summary. */
  readonly message: string;
  readonly createdAt: number;
  /** Time of the last change, in milliseconds since 1970. */
  readonly updatedAt: number;
  /** Recommended delay before the next poll, in milliseconds. */
  readonly pollAfterMs: number;
  /** Open questions; only with `needs_input`. */
  readonly asks: readonly JobQuestion[];
  /** The current result of the tool. */
  readonly result: ToolResult;
}

/** Access to jobs of one or more kinds. The job id is the capability. */
export interface Jobs {
  /** Returns the state of a job; `undefined` for an id of no such job. */
  state(jobId: string): Promise<JobState | undefined>;
  /**
   * Passes the state to `listener` now and after each commit until the returned function is called.
   * Several commits may share one call. Ignores unknown ids.
   */
  watch(jobId: string, listener: (state: JobState) => void): () => void;
  /**
   * Cancels a job and refunds the unspent part. Idempotent, with no effect after the end.
   *
   * @throws {AppError} `JOB_UNKNOWN`
   */
  cancel(jobId: string): Promise<void>;
  /**
   * Submits answers to open questions. If any is invalid, none is accepted.
   *
   * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
   */
  supply(jobId: string, answers: readonly JobAnswer[]): Promise<void>;
}

/** Retention of a finished job, in milliseconds: 400 days. */
export const JOB_RETENTION_MS = 400 * 24 * 60 * 60 * 1_000;

/** Checks whether a job is in a final state. */
export function isFinished({ status }: Pick<JobState, 'status'>): boolean {
  return status === 'ended' || status === 'cancelled';
}
