import type {
  AuditInput,
  AuditOutcome,
  ConsentRecord,
  FindingRef,
  RunRef,
  SkippedProbe,
} from '../../domain/audit/order.ts';
import type { TargetAddress } from '../../domain/audit/records.ts';

/** Common input of every effect that contacts the target. */
export interface TargetInput {
  readonly auditId: string;
  readonly target: TargetAddress;
  readonly pinnedAddress: string | null;
  readonly seed: string;
  /** True if writing tools are called. */
  readonly allowWrites: boolean;
  /** Remaining requests of the audit. */
  readonly requestsLeft: number;
}

/** Input of the `consent` effect. */
export type ConsentInput = Pick<
  AuditInput,
  'auditId' | 'target' | 'origin' | 'pinnedAddress' | 'mode' | 'consent' | 'probeSetVersion'
>;

/** Output of the `consent` effect. `at`: milliseconds. */
export type ConsentOutput = {
  readonly at: number;
  /** Requests to the target; absent if no file was fetched. */
  readonly requests?: number;
} & (
  | { readonly state: 'given'; readonly record: ConsentRecord }
  | { readonly state: 'refused'; readonly reason: string }
);

/** Summary of a target's recon. */
export interface ReconRef {
  /** Hash of the full recon. */
  readonly sha: string;
  /** Hash over all definitions of the target. */
  readonly whole: string;
  readonly tools: number;
  readonly access: 'open' | 'refused';
}

/** Output of the `recon` effect. */
export type ReconOutput =
  | { readonly state: 'seen'; readonly recon: ReconRef; readonly requests: number }
  | { readonly state: 'down'; readonly reason: string; readonly requests: number };

/** Input of the `probe` effect. */
export interface ProbeInput extends TargetInput {
  readonly reconSha: string;
  readonly probeId: string;
  readonly seatId: string;
}

/** Output of the `probe` effect, including whether the target still responded afterwards. */
export interface ProbeOutput {
  readonly run: RunRef;
  readonly findings: readonly FindingRef[];
  readonly isDown: boolean;
  /** Requests that checked afterwards whether the target still responds. */
  readonly pings?: number;
}

/** Input of the `look` effect, which runs between two seats. */
export interface RecheckInput extends TargetInput {
  readonly reconSha: string;
  readonly seatId: string;
  readonly consent: ConsentInput;
}

/** Output of the `look` effect. */
export type RecheckOutput =
  | { readonly state: 'same'; readonly requests: number }
  | {
      readonly state: 'changed';
      readonly recon: ReconRef;
      readonly finding: FindingRef;
      readonly requests: number;
    }
  | { readonly state: 'down'; readonly reason: string; readonly requests: number }
  | { readonly state: 'withdrawn'; readonly reason: string; readonly requests: number };

/** Input of the `replay` effect. */
export interface ReplayInput extends TargetInput {
  readonly reconSha: string;
  readonly finding: FindingRef;
  readonly seatId: string;
}

/** Output of the `replay` effect. */
export interface ReplayOutput {
  readonly finding: FindingRef;
  readonly requests: number;
  /** True if the target no longer responds, so that nothing could be examined. */
  readonly isDown?: boolean;
}

/** Input of the `seal` effect: everything in the report. */
export type SealReportInput = Pick<
  AuditContext,
  | 'input'
  | 'consent'
  | 'recon'
  | 'firstRecon'
  | 'runs'
  | 'skipped'
  | 'findings'
  | 'looks'
  | 'changes'
  | 'requests'
  | 'outcome'
  | 'reason'
  | 'begunAt'
>;

/** Number of confirmed findings by severity. */
export interface ConfirmedCounts {
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
}

/** The written report. */
export interface WrittenReport {
  readonly reportSha: string;
  readonly root: string;
  readonly confirmed: ConfirmedCounts;
}

/** Input of the `anchor` effect. The enterprise audit requests a dedicated anchor. */
export type AnchorInput = Pick<AuditInput, 'auditId' | 'plan'>;

/** Anchor state of the report on the chain. */
export interface AnchorOutput {
  readonly status: 'anchored' | 'pending' | 'not_configured';
  readonly reason: string | null;
}

/** Context of an audit: plain JSON, with evidence by hash. */
export interface AuditContext {
  readonly input: AuditInput;
  readonly consent: ConsentRecord | null;
  /** Current recon of the target, and the first one. */
  readonly recon: ReconRef | null;
  readonly firstRecon: ReconRef | null;
  /** Index of the next probe in `input.probes`. */
  readonly next: number;
  /** Active seat; the target is checked again before the next seat starts. */
  readonly seat: string;
  readonly runs: readonly RunRef[];
  readonly skipped: readonly SkippedProbe[];
  readonly findings: readonly FindingRef[];
  /** Findings whose replay has ended. */
  readonly replayed: readonly string[];
  /** Checks between seats that found the target unchanged, and changed. */
  readonly looks: number;
  readonly changes: number;
  /** Requests to the target so far. */
  readonly requests: number;
  readonly outcome: AuditOutcome | null;
  readonly reason: string | null;
  /** True if no client is waiting any more; the work continues. */
  readonly detached: boolean;
  /** Milliseconds; 0 before the proof of control was checked. */
  readonly begunAt: number;
  readonly sealed: WrittenReport | null;
  /** Hash of the signed report. */
  readonly signedSha: string | null;
  readonly anchor: AnchorOutput | null;
}

/** Creates the initial context of an audit. */
export function createAuditContext({ input }: { readonly input: AuditInput }): AuditContext {
  return {
    input,
    consent: null,
    recon: null,
    firstRecon: null,
    next: 0,
    seat: '',
    runs: [],
    skipped: [],
    findings: [],
    replayed: [],
    looks: 0,
    changes: 0,
    requests: 0,
    outcome: null,
    reason: null,
    detached: false,
    begunAt: 0,
    sealed: null,
    signedSha: null,
    anchor: null,
  };
}
