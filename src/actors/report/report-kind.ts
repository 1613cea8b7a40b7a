import type { Json, JsonObject } from '../../domain/common/json.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import type { ReadableAnswer } from '../../tools/data/data-answer.ts';

/** How an earlier step ended. A step that is absent has not run. */
export type StepResult =
  | { readonly state: 'done'; readonly value: Json; readonly at: number }
  | { readonly state: 'failed'; readonly fault: DataFailure; readonly at: number };

/** Results of steps by step id. */
export type StepResults = Readonly<Record<string, StepResult>>;

/** Input and tools of a running step, in addition to its own ports. */
export interface StepContext<Input> {
  readonly input: Input;
  readonly earlier: StepResults;
  /** Aborts at the deadline and when the report is cancelled. */
  readonly signal: AbortSignal;
  /** Unix time in milliseconds. A step that is still running then fails. */
  readonly deadline: number;
  /** Sends a progress line of at most 120 characters to waiting callers. It is not stored. */
  progress(text: string): void;
}

/** One step of a report. Its result is stored; after a crash it may run again. */
export interface ReportStep<Input> {
  /** Unique within the report, and stable for the same request. */
  readonly id: string;
  readonly title: string;
  /** Time limit in milliseconds. Default: 2 minutes. */
  readonly timeoutMs?: number;
  /**
   * If set, the report fails when this step fails. Otherwise the failure is recorded and the report
   * continues.
   */
  readonly isRequired?: boolean;
  /** @throws any error; it is recorded as the step's failure. */
  run(context: StepContext<Input>): Promise<Json>;
}

/** Inputs for composing the answer. */
export interface ComposeContext {
  /** Titles and ids of all planned steps, including steps that were skipped for lack of time. */
  readonly planned: readonly { readonly id: string; readonly title: string }[];
  now(): number;
  readonly signal: AbortSignal;
}

/** A kind of report: plans steps from a request and composes the answer from their results. */
export interface ReportKind<Input = JsonObject> {
  readonly kind: string;
  /** Name of the tool that sells it. */
  readonly tool: string;
  /** Time limit for all steps together, in milliseconds; at most one hour. */
  readonly deadlineMs: number;
  /** Plans the steps. Must be pure: the same request gives the same steps, also after a restart. */
  steps(input: Input): readonly ReportStep<Input>[];
  /**
   * Composes the answer in the envelope of all data tools; `data` is `null` if no step succeeded.
   */
  compose(
    input: Input,
    results: StepResults,
    context: ComposeContext,
  ): Omit<ReadableAnswer, 'tool'> | Promise<Omit<ReadableAnswer, 'tool'>>;
}
