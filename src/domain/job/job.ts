import type { JsonObject } from '../common/json.ts';
import type { ToolResult } from '../tool/tool.ts';

/** Where a job stands. `needs_input` waits for its buyer; the last two are its end. */
export type JobStatus = 'working' | 'needs_input' | 'ended' | 'cancelled';

/** Something that a job asks of its buyer's side: one answer of a model, or a form for a person. */
export interface JobAsk {
  /** Unique over the life of the job. */
  readonly askId: string;
  readonly system: string;
  readonly prompt: string;
  /** JSON Schema that the answer fits; of a form, an object of plain fields. */
  readonly schema: JsonObject;
  /** Whether a person fills it in. */
  readonly isForm?: boolean;
}

/** What a buyer's agent answers to a {@link JobAsk}: JSON, or the text of a model around it. */
export interface JobAnswer {
  readonly askId: string;
  readonly answer: string | JsonObject;
}

/** A job at one moment, free of what kind it is. */
export interface JobState {
  readonly jobId: string;
  readonly status: JobStatus;
  /** One line for people. */
  readonly message: string;
  readonly createdAt: number;
  /** When it last moved, in milliseconds. */
  readonly updatedAt: number;
  /** When asking again is worth it, in milliseconds. */
  readonly pollAfterMs: number;
  /** Open questions, only with `needs_input`. */
  readonly asks: readonly JobAsk[];
  /** What its tool answers now. */
  readonly result: ToolResult;
}

/** Jobs of one kind, by the capability that names them. */
export interface JobKind {
  /** `undefined` for ids that name no job of this kind. */
  state(jobId: string): Promise<JobState | undefined>;
  /**
   * Tells the state at once and after each commit, some of them together, until the returned
   * function is called. Says nothing about ids that name no job.
   */
  watch(jobId: string, listener: (state: JobState) => void): () => void;
  /**
   * Ends a job and gives its unspent part back. Safe to repeat, without effect after the end.
   *
   * @throws {AppError} `JOB_UNKNOWN`
   */
  cancel(jobId: string): Promise<void>;
  /**
   * Brings answers to open questions: all of them, or on any fault none.
   *
   * @throws {AppError} `JOB_UNKNOWN`, `AGENT_TURNS_REFUSED`
   */
  supply(jobId: string, answers: readonly JobAnswer[]): Promise<void>;
}

/** The jobs of a tool server. */
export interface Jobs extends JobKind {
  /**
   * Waits for a job that its payment has just ordered, and reads it.
   *
   * @throws {AppError} `JOB_UNKNOWN` when it has not come into being within ten seconds.
   */
  begun(jobId: string): Promise<JobState>;
}

/** How long a job can be read after its end, in milliseconds: 400 days. */
export const JOB_KEPT_MS = 400 * 24 * 60 * 60 * 1_000;

/** Tells whether nothing more will happen to a job. */
export function isOver({ status }: Pick<JobState, 'status'>): boolean {
  return status === 'ended' || status === 'cancelled';
}
