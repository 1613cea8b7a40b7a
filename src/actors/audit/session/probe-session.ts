import type {
  AuditTarget,
  AuditTargets,
  OpenTarget,
  TargetLimits,
} from '../../../domain/audit/audit-target.ts';
import { deriveCanary } from '../../../domain/audit/probe/canary.ts';
import type { LeftBehind } from '../../../domain/audit/probe/left-behind.ts';
import type { Recon } from '../../../domain/audit/probe/recon.ts';
import type { TargetAddress } from '../../../domain/audit/records.ts';
import { createAuditNames } from '../../../domain/audit/text/audit-names.ts';
import type { Clock } from '../../../domain/common/clock.ts';
import { CLEAN_UP_LIMITS, cleanUp, listUncleaned } from './clean-up.ts';
import { Doubts } from './doubts.ts';
import { GatedTarget } from './gate.ts';
import type { ProbeSession } from './probe.ts';

/** The audit data of one probe or replay. */
export interface SessionPlan {
  readonly address: TargetAddress;
  readonly recon: Recon;
  readonly limits: TargetLimits;
  /** Seed of the canaries; the same in the whole audit, and after a restart. */
  readonly seed: string;
  /** True if the owner of the target allowed tools that write. */
  readonly allowWrites: boolean;
  readonly signal: AbortSignal;
  readonly headers?: OpenTarget['headers'];
}

/** Dependencies of sessions. */
export interface SessionDeps {
  readonly targets: AuditTargets;
  readonly clock: Clock;
}

/** The result of work in a session. */
export interface SessionResult<T> {
  readonly result: T;
  /** Data that the target's tools may still hold. */
  readonly leftBehind: readonly LeftBehind[];
  /** Requests of the work and of its clean-up. */
  readonly requests: number;
}

/**
 * Opens the target at the address of the recon, runs `work` behind the gate, cleans up stored data,
 * and closes everything in any case.
 *
 * @throws {AppError} errors of opening and of `work`.
 */
export async function withProbeSession<T>(
  parts: SessionDeps,
  plan: SessionPlan,
  work: (session: ProbeSession) => Promise<T>,
): Promise<SessionResult<T>> {
  const { address, recon, seed, allowWrites, signal } = plan;
  const listener = await parts.targets.listen(address);
  try {
    const listeners = listener?.origins ?? [];
    const opened = await parts.targets.open(address, { ...createOpening(plan), listeners });
    const doubts = new Doubts();
    const { tools } = recon;
    const target = new GatedTarget(opened, { tools, seed, allowWrites, listeners, doubts });
    const session = {
      target,
      recon,
      seed,
      doubts,
      signal,
      clock: parts.clock,
      own: createAuditNames(seed),
      canary: (label: string) => deriveCanary(seed, label),
      ...(listener === undefined ? {} : { listener }),
    };
    const result = await workThenClose(() => work(session), opened);
    const { leftBehind, requests } = await runCleanUp(parts, plan, target);
    return { result, leftBehind, requests: target.spent().requests + requests };
  } finally {
    await listener?.close();
  }
}

async function workThenClose<T>(work: () => Promise<T>, opened: AuditTarget): Promise<T> {
  try {
    return await work();
  } finally {
    await opened.close();
  }
}

/** Sends nothing more once the audit was stopped. */
async function runCleanUp({ targets }: SessionDeps, plan: SessionPlan, { ledger }: GatedTarget) {
  if (plan.signal.aborted) {
    return { leftBehind: listUncleaned(ledger, 'the audit was stopped'), requests: 0 };
  }
  let spent = () => 0;
  const limits = { ...plan.limits, ...CLEAN_UP_LIMITS };
  const open = async () => {
    const opened = await targets.open(plan.address, { ...createOpening(plan), limits });
    spent = () => opened.spent().requests;
    return opened;
  };
  const { seed, allowWrites } = plan;
  const { tools } = plan.recon;
  const leftBehind = await cleanUp(open, { ledger, tools, seed, allowWrites });
  return { leftBehind, requests: spent() };
}

function createOpening({ recon, limits, seed, signal, headers }: SessionPlan): OpenTarget {
  return {
    limits,
    canarySeed: seed,
    signal,
    ...(recon.pinnedAddress === null ? {} : { pinnedAddress: recon.pinnedAddress }),
    ...(headers === undefined ? {} : { headers }),
  };
}
