import type { JsonObject } from '../../domain/common/json.ts';
import type { MicroUsdText } from '../../domain/common/money.ts';
import type {
  PlannedStep,
  ReportInput,
  ReportOutcome,
  StepOutcome,
} from '../../domain/report/records.ts';

/** Input of the `begin` effect. */
export interface BeginInput {
  readonly reportKind: string;
  readonly request: JsonObject;
}

/** Planned steps of a report, with its start time in milliseconds. */
export interface ReportPlan {
  readonly at: number;
  readonly steps: readonly PlannedStep[];
}

/** Input of the `step` effect. */
export interface StepInput extends BeginInput {
  readonly stepId: string;
  /** Results of the previous steps. */
  readonly ends: readonly StepOutcome[];
  /** Deadline of the whole report, in milliseconds. */
  readonly deadline: number;
}

/** Input of the `compose` effect. */
export interface ComposeInput extends BeginInput {
  readonly paymentId: string;
  readonly priceMicroUsd?: MicroUsdText;
  readonly steps: readonly PlannedStep[];
  readonly ends: readonly StepOutcome[];
}

/** The composed tool result, by hash. */
export interface ComposedReport {
  readonly resultSha: string;
  /** False if no source answered; nothing is charged then. */
  readonly isAnswer: boolean;
  /** First line of the answer. */
  readonly headline: string;
}

/** The context of a report. */
export interface ReportContext {
  readonly input: ReportInput;
  readonly steps: readonly PlannedStep[];
  /** Results of the steps, in plan order. */
  readonly ends: readonly StepOutcome[];
  /** Milliseconds; 0 before the start. */
  readonly begunAt: number;
  readonly outcome: ReportOutcome | null;
  readonly reason: string | null;
  readonly composed: ComposedReport | null;
  /** True if no client is waiting any more; the work continues. */
  readonly detached: boolean;
}

/** Creates the initial context of a report. */
export function createReportContext({ input }: { readonly input: ReportInput }): ReportContext {
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
