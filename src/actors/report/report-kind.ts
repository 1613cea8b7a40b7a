import type { Json, JsonObject } from '../../domain/common/json.ts';
import type { DataFault } from '../../domain/data/fault.ts';
import type { WordedAnswer } from '../../tools/data/data-answer.ts';

/** How a step before this one ended. A step that is absent has not run. */
export type StepResult =
  | { readonly state: 'done'; readonly value: Json; readonly at: number }
  | { readonly state: 'failed'; readonly fault: DataFault; readonly at: number };

/** How steps ended, by the id of the step. */
export type StepResults = Readonly<Record<string, StepResult>>;

/** What a step works with beside its own ports. */
export interface StepContext<Input> {
  readonly input: Input;
  readonly earlier: StepResults;
  /** Aborts at the deadline, and when the report is cancelled. */
  readonly signal: AbortSignal;
  /** Milliseconds; what is still running then counts as failed. */
  readonly deadline: number;
  /** Tells a line of the step to whoever waits, at most 120 characters. Nothing of it is kept. */
  progress(text: string): void;
}

/** One step of a report. What it answers is kept; after a crash it may run again. */
export interface ReportStep<Input> {
  /** Unique within the report, and the same on every planning of the same request. */
  readonly id: string;
  readonly title: string;
  /** Longest time in milliseconds; two minutes where nothing is said. */
  readonly timeoutMs?: number;
  /** Where it fails, the report fails. Without it the fault is kept and the rest goes on. */
  readonly isRequired?: boolean;
  /** @throws whatever kept it from an answer; kept as a fault of the step. */
  run(context: StepContext<Input>): Promise<Json>;
}

/** What the answer of a report is made with. */
export interface ComposeContext {
  /** Titles and ids of all planned steps, also of those that time was too short for. */
  readonly planned: readonly { readonly id: string; readonly title: string }[];
  now(): number;
  readonly signal: AbortSignal;
}

/** A kind of report: how its steps follow from a request, and its answer from their results. */
export interface ReportKind<Input = JsonObject> {
  readonly kind: string;
  /** The tool that sells it. */
  readonly tool: string;
  /** Longest time for all steps together, in milliseconds; at most an hour. */
  readonly deadlineMs: number;
  /** Pure: the same request plans the same steps, also after a restart. */
  steps(input: Input): readonly ReportStep<Input>[];
  /** The answer in the envelope of all data tools; `data: null` where nothing has answered. */
  compose(
    input: Input,
    results: StepResults,
    context: ComposeContext,
  ): Omit<WordedAnswer, 'tool'> | Promise<Omit<WordedAnswer, 'tool'>>;
}
