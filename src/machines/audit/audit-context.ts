import type {
  AuditInput,
  AuditOutcome,
  ConsentRecord,
  FindingRef,
  RunRef,
  SkippedProbe,
} from '../../domain/audit/order.ts';
import type { TargetAddress } from '../../domain/audit/records.ts';

/** What every effect that asks the target is given. */
export interface TargetOrder {
  readonly auditId: string;
  readonly target: TargetAddress;
  readonly pinnedAddress: string | null;
  readonly seed: string;
  /** True where tools that write are tried. */
  readonly allowWrites: boolean;
  /** Requests that are left to the audit. */
  readonly requestsLeft: number;
}

/** Input of the `consent` effect. */
export type ConsentOrder = Pick<
  AuditInput,
  'auditId' | 'target' | 'origin' | 'pinnedAddress' | 'mode' | 'consent' | 'probeSetVersion'
>;

/** What the proof of control came to. `at`: milliseconds. */
export type ConsentAnswer = {
  readonly at: number;
  /** Requests that it cost the target; none where no file is asked for. */
  readonly requests?: number;
} & (
  | { readonly state: 'given'; readonly record: ConsentRecord }
  | { readonly state: 'refused'; readonly reason: string }
);

/** What is known of a target that was looked at. */
export interface ReconRef {
  /** The whole recon, by hash. */
  readonly sha: string;
  /** Hash over everything that the target defines. */
  readonly whole: string;
  readonly tools: number;
  readonly access: 'open' | 'refused';
}

/** What the first look at a target came to. */
export type ReconAnswer =
  | { readonly state: 'seen'; readonly recon: ReconRef; readonly requests: number }
  | { readonly state: 'down'; readonly reason: string; readonly requests: number };

/** Input of the `probe` effect. */
export interface ProbeOrder extends TargetOrder {
  readonly reconSha: string;
  readonly probeId: string;
  readonly seatId: string;
}

/** What a probe came to, and whether the target still answered behind it. */
export interface ProbeAnswer {
  readonly run: RunRef;
  readonly findings: readonly FindingRef[];
  readonly isDown: boolean;
  /** Requests that asked, behind the probe, whether the target still answers. */
  readonly pings?: number;
}

/** Input of the `look` effect, between two seats. */
export interface LookOrder extends TargetOrder {
  readonly reconSha: string;
  readonly seatId: string;
  readonly consent: ConsentOrder;
}

/** What a look between two seats came to. */
export type LookAnswer =
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
export interface ReplayOrder extends TargetOrder {
  readonly reconSha: string;
  readonly finding: FindingRef;
  readonly seatId: string;
}

/** What a replay came to. */
export interface ReplayAnswer {
  readonly finding: FindingRef;
  readonly requests: number;
  /** True when nothing could be looked at, as the target does not answer any more. */
  readonly isDown?: boolean;
}

/** Input of the `seal` effect: everything that the report is made from. */
export type SealOrder = Pick<
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

/** How many findings count, by severity. */
export interface ConfirmedCounts {
  readonly critical: number;
  readonly high: number;
  readonly medium: number;
  readonly low: number;
  readonly info: number;
}

/** The report, as it was written. */
export interface SealedReport {
  readonly reportSha: string;
  readonly root: string;
  readonly confirmed: ConfirmedCounts;
}

/** Input of the `anchor` effect. The enterprise audit asks for an anchor of its own. */
export type AnchorOrder = Pick<AuditInput, 'auditId' | 'plan'>;

/** Where the report stands on the chain. */
export interface AnchorAnswer {
  readonly status: 'anchored' | 'pending' | 'not_configured';
  readonly reason: string | null;
}

/** Memory of an audit: plain JSON, evidence by hash. */
export interface AuditContext {
  readonly input: AuditInput;
  readonly consent: ConsentRecord | null;
  /** What the target is now, and what it was at first. */
  readonly recon: ReconRef | null;
  readonly firstRecon: ReconRef | null;
  /** Place in `input.probes` of the probe that is next. */
  readonly next: number;
  /** The seat that works; the target is looked at again before another one begins. */
  readonly seat: string;
  readonly runs: readonly RunRef[];
  readonly skipped: readonly SkippedProbe[];
  readonly findings: readonly FindingRef[];
  /** Findings whose replay has ended, one way or the other. */
  readonly replayed: readonly string[];
  /** Looks between seats that saw the same target, and those that saw another one. */
  readonly looks: number;
  readonly changes: number;
  /** Requests to the target so far. */
  readonly requests: number;
  readonly outcome: AuditOutcome | null;
  readonly reason: string | null;
  /** True when nobody waits on the line any more; the work goes on. */
  readonly detached: boolean;
  /** Milliseconds; 0 before the proof of control was looked at. */
  readonly begunAt: number;
  readonly sealed: SealedReport | null;
  /** The signed report, by hash. */
  readonly signedSha: string | null;
  readonly anchor: AnchorAnswer | null;
}

/** The context that an audit begins with. */
export function newAudit({ input }: { readonly input: AuditInput }): AuditContext {
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
