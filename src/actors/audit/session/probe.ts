import type { CanaryListener } from '../../../domain/audit/audit-target.ts';
import type { AuditPlanName } from '../../../domain/audit/plans.ts';
import type { Recon } from '../../../domain/audit/probe/recon.ts';
import type {
  AsiCategory,
  Evidence,
  Finding,
  ProbeMode,
  ProbeRun,
} from '../../../domain/audit/records.ts';
import type { OwnNames } from '../../../domain/audit/text/own-names.ts';
import type { Clock } from '../../../domain/common/clock.ts';
import type { Trial } from '../../../domain/injection/trial.ts';
import type { Doubts } from './doubts.ts';
import type { GatedTarget } from './gate.ts';

/** What a probe works with. One session serves one probe or one replay; its owner closes it. */
export interface ProbeSession {
  /** The target behind the gate: nothing is sent there that the policy does not allow. */
  readonly target: GatedTarget;
  /** Names of this audit, which no target has. */
  readonly own: OwnNames;
  /** What could not be looked at or settled: with any of it a run is not clean. */
  readonly doubts: Doubts;
  /** What the target told of itself at the start of the audit. */
  readonly recon: Recon;
  /** A value that stands nowhere else; the same label gives the same value in one audit. */
  canary(label: string): string;
  /** What canaries are drawn from. */
  readonly seed: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent where the target could not reach one. */
  readonly listener?: CanaryListener;
}

/** What a probe that looked, or could not, says; the rest of its run is added by its caller. */
export type Observation =
  | {
      readonly outcome: 'looked';
      readonly subjects: readonly string[];
      findings: Sighting[];
      /** What it did not look at, if anything: then it is not clean. */
      readonly reason?: string | undefined;
      readonly trials?: readonly Trial[];
    }
  | {
      /** `failed`: the target answered nothing that says anything. */
      readonly outcome: 'not_applicable' | 'failed';
      readonly reason: string;
      readonly trials?: readonly Trial[];
    };

/** A fault that a probe saw, before it has an id. */
export interface Sighting {
  readonly title: string;
  readonly severity: Finding['severity'];
  /** `indicator` for what texts suggest; `unreproduced` until a replay has seen it again. */
  readonly status: 'indicator' | 'unreproduced';
  readonly tool?: string;
  readonly evidence: Evidence;
  readonly control: Evidence | null;
  readonly remediation: string;
}

/** What a replay saw, in fresh connections, with the control beside it. */
export interface Replay {
  readonly reproduced: boolean;
  /** False when it could not look: that refutes nothing. */
  readonly looked: boolean;
  /** True when it looked and could not settle it, such as on a noisy control. */
  readonly isInconclusive: boolean;
  readonly evidence: Evidence;
}

/** One check of one kind of fault. */
export interface Probe {
  readonly probeId: string;
  readonly version: number;
  /** The one audit that it belongs to; absent: those over all categories. */
  readonly plan?: AuditPlanName;
  readonly category: AsiCategory;
  readonly mode: ProbeMode;
  readonly title: string;
  /** Requests that one run sends at the most. A replay sends no more. */
  readonly requestsMax: number;
  /** Milliseconds that one run takes at the most; what is over ends it as `failed`. */
  readonly totalMs: number;
  /** Never throws for what a target does: a run that ended early says so. */
  run(session: ProbeSession): Promise<ProbeRun>;
  /** Looks again for a finding of an earlier run; throws as little as `run`. */
  replay(session: ProbeSession, finding: Finding): Promise<Replay>;
}
