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
import type { AuditNames } from '../../../domain/audit/text/audit-names.ts';
import type { Clock } from '../../../domain/common/clock.ts';
import type { Trial } from '../../../domain/injection/trial.ts';
import type { Doubts } from './doubts.ts';
import type { GatedTarget } from './gate.ts';

/** The tools of a probe. Each session serves one probe or one replay, and its creator closes it. */
export interface ProbeSession {
  /** The target behind the gate, which sends only what the policy allows. */
  readonly target: GatedTarget;
  /** Audit names, which exist on no target. */
  readonly own: AuditNames;
  /** What could not be checked or decided. With any doubt, a run is not clean. */
  readonly doubts: Doubts;
  /** What the target disclosed at the start of the audit. */
  readonly recon: Recon;
  /** Returns a unique value. The same label gives the same value within one audit. */
  canary(label: string): string;
  /** Seed of the canaries. */
  readonly seed: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent if the target cannot reach a listener. */
  readonly listener?: CanaryListener;
}

/** The result of a probe; the caller adds the remaining fields of the run. */
export type Observation =
  | {
      readonly outcome: 'looked';
      readonly subjects: readonly string[];
      findings: Sighting[];
      /** What was not checked, if anything. The run is then not clean. */
      readonly reason?: string | undefined;
      readonly trials?: readonly Trial[];
    }
  | {
      /** `failed`: the target gave no meaningful answer. */
      readonly outcome: 'not_applicable' | 'failed';
      readonly reason: string;
      readonly trials?: readonly Trial[];
    };

/** A fault found by a probe, before it has an id. */
export interface Sighting {
  readonly title: string;
  readonly severity: Finding['severity'];
  /** `indicator` for suspicious texts; `unreproduced` until a replay reproduces it. */
  readonly status: 'indicator' | 'unreproduced';
  readonly tool?: string;
  readonly evidence: Evidence;
  readonly control: Evidence | null;
  readonly remediation: string;
}

/** The result of a replay in new connections, with its control. */
export interface Replay {
  readonly reproduced: boolean;
  /** False if the replay could not run, which refutes nothing. */
  readonly looked: boolean;
  /** True if the replay ran but could not decide, for example because of a noisy control. */
  readonly isInconclusive: boolean;
  readonly evidence: Evidence;
}

/** A check for one kind of fault. */
export interface Probe {
  readonly probeId: string;
  readonly version: number;
  /** The only plan that runs this probe. Absent: all general plans. */
  readonly plan?: AuditPlanName;
  readonly category: AsiCategory;
  readonly mode: ProbeMode;
  readonly title: string;
  /** Maximum number of requests per run, and per replay. */
  readonly requestsMax: number;
  /** Time limit of one run in milliseconds; above it, the run is `failed`. */
  readonly totalMs: number;
  /** Runs the probe. Never throws because of the target; an early end is an outcome. */
  run(session: ProbeSession): Promise<ProbeRun>;
  /** Tries to reproduce an earlier finding. Like `run`, never throws because of the target. */
  replay(session: ProbeSession, finding: Finding): Promise<Replay>;
}
