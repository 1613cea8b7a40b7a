import type { JsonObject } from '../../domain/common/json.ts';
import type {
  PlannedStep,
  ReportInput,
  ReportOutcome,
  StepEnd,
} from '../../domain/report/records.ts';

/** Input of the `begin` effect. */
export interface BeginOrder {
  readonly reportKind: string;
  readonly request: JsonObject;
}

/** What a report plans, and when it began in milliseconds. */
export interface BegunReport {
  readonly at: number;
  readonly steps: readonly PlannedStep[];
}

/** Input of the `step` effect. */
export interface StepOrder extends BeginOrder {
  readonly stepId: string;
  /** How the steps before it ended. */
  readonly ends: readonly StepEnd[];
  /** Milliseconds; the whole report ends then. */
  readonly deadline: number;
}

/** Input of the `compose` effect. */
export interface ComposeOrder extends BeginOrder {
  readonly paymentId: string;
  readonly steps: readonly PlannedStep[];
  readonly ends: readonly StepEnd[];
}

/** The answer as it was composed: the whole tool result, by hash. */
export interface ComposedReport {
  readonly resultSha: string;
  /** False when nothing that was asked has answered; then nothing is charged. */
  readonly isAnswer: boolean;
  /** First line of the answer. */
  readonly headline: string;
}

/** The context of a report. */
export interface ReportContext {
  readonly input: ReportInput;
  readonly steps: readonly PlannedStep[];
  /** How steps ended, in the order of the plan. */
  readonly ends: readonly StepEnd[];
  /** Milliseconds; 0 before it has begun. */
  readonly begunAt: number;
  readonly outcome: ReportOutcome | null;
  readonly reason: string | null;
  readonly composed: ComposedReport | null;
  /** True when nobody waits on the line any more; the work goes on. */
  readonly detached: boolean;
}

/** The context that a report begins with. */
export function newReport({ input }: { readonly input: ReportInput }): ReportContext {
  return {
    input,
    steps: [],
    ends: [],
    begunAt: 0,
    outcome: null,
    reason: null,
    composed: null,
    detached: false,
  };
}
