import type { AuditTargets } from '../../domain/audit/audit-target.ts';
import type { FindingRef, RunRef } from '../../domain/audit/order.ts';
import type { LeftBehind } from '../../domain/audit/probe/left-behind.ts';
import { Recon } from '../../domain/audit/probe/recon.ts';
import { Finding, type ProbeRun } from '../../domain/audit/records.ts';
import type { BlobStore } from '../../domain/common/blob-store.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { toAppError } from '../../domain/common/error.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type {
  ConsentAnswer,
  ConsentOrder,
  LookAnswer,
  LookOrder,
  ProbeAnswer,
  ProbeOrder,
  ReconAnswer,
  ReconRef,
  ReplayAnswer,
  ReplayOrder,
  TargetOrder,
} from '../../machines/audit/audit-context.ts';
import type { Effect, EffectContext } from '../../runtime/engine/types.ts';
import { loadKept } from '../common/load-kept.ts';
import {
  BYTES_MAX,
  hasChanged,
  isAlive,
  LOOK_MS,
  type Opening,
  type Tally,
  withTarget,
} from './session/ask-target.ts';
import type { ControlCheck } from './session/control-check.ts';
import { controlPatiently } from './session/patient-control.ts';
import type { Probe, ProbeSession, Replay } from './session/probe.ts';
import { RECON_REQUESTS_MAX, runRecon } from './session/recon.ts';
import { changedFinding } from './session/rug-pull.ts';
import { type SessionPlan, withProbeSession } from './session/session.ts';

/**
 * Maximum concurrent requests per origin over all audits, so that probes do not disturb each other.
 */
export const ASKS_PER_ORIGIN_MAX = 1;

/** Dependencies of audit effects. */
export interface AskDeps {
  readonly targets: AuditTargets;
  readonly probes: readonly Probe[];
  readonly control: ControlCheck;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** Creates the `consent` effect, which verifies control of the target. */
export function consentEffect({ control }: AskDeps): Effect<ConsentOrder, ConsentAnswer> {
  return {
    run: (order, { signal }) => control.check(order, signal),
    timeoutMs: MINUTE_MS,
    attempts: 3,
  };
}

/** Creates the `recon` effect, which reads what the target discloses to anyone. */
export function reconEffect(deps: AskDeps): Effect<TargetOrder, ReconAnswer> {
  return {
    run: async (order, { signal }) => {
      const tally = { requests: 0 };
      try {
        const recon = await lookOnce(deps, order, { signal, tally });
        return { state: 'seen', recon: await keepRecon(deps, recon), ...tally };
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        return { state: 'down', reason: reasonOf(thrown), ...tally };
      }
    },
    timeoutMs: 2 * MINUTE_MS,
    limit: { max: ASKS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Creates the `probe` effect, which runs one probe of one seat. */
export function probeEffect(deps: AskDeps): Effect<ProbeOrder, ProbeAnswer> {
  return {
    run: async (order, context) => {
      const probe = deps.probes.find(({ probeId }) => probeId === order.probeId);
      if (probe === undefined) return notHere(order);
      const run = await runProbe(deps, probe, order, context);
      const tally = { requests: 0 };
      const asked = { signal: context.signal, tally };
      const isDown = run.outcome === 'failed' && !(await isAlive(deps.targets, order, asked));
      const findings = await Promise.all(run.findings.map((one) => keepFinding(deps, one)));
      return { run: await keepRun(deps, run), findings, isDown, pings: tally.requests };
    },
    timeoutMs: 5 * MINUTE_MS,
    limit: { max: ASKS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Creates the `look` effect, which checks that the target and its consent are unchanged. */
export function lookEffect(deps: AskDeps): Effect<LookOrder, LookAnswer> {
  return {
    run: async (order, { signal }) => {
      const control = await controlPatiently(deps, order, signal);
      if (control.state === 'down') return control;
      const tally = { requests: control.requests ?? 0 };
      if (control.state === 'refused') {
        return { state: 'withdrawn', reason: control.reason, ...tally };
      }
      return await lookAgain(deps, order, { signal, tally });
    },
    timeoutMs: 2 * MINUTE_MS,
    isRetryable: (error) => toAppError(error).code !== 'AUDIT_BUDGET',
    limit: { max: ASKS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Creates the `replay` effect, in which another seat reproduces a finding in new connections. */
export function replayEffect(deps: AskDeps): Effect<ReplayOrder, ReplayAnswer> {
  return {
    run: async (order, { signal }) => {
      const finding = Finding.parse(loadKept(deps.blobs, order.finding.sha));
      const probe = deps.probes.find(({ probeId }) => probeId === finding.probeId);
      if (probe === undefined) return { finding: order.finding, requests: 0 };
      const plan = sessionPlan(deps, probe, order, signal);
      const { replay, requests, leftBehind } = await replayPatiently(deps, plan, (session) =>
        probe.replay(session, finding),
      );
      const { reproduced, looked, isInconclusive, evidence } = replay;
      const tally = { requests };
      const isBlind = !reproduced && !looked;
      const isDown = isBlind && !(await isAlive(deps.targets, order, { signal, tally }));
      const again: Finding = {
        ...finding,
        status: statusAfter({ reproduced, looked, isInconclusive }),
        reproducedBy: reproduced ? order.seatId : null,
        replay: evidence,
        ...(leftBehind.length === 0 ? {} : { leftBehind: [...leftBehind] }),
      };
      return { finding: await keepFinding(deps, again), isDown, ...tally };
    },
    timeoutMs: 5 * MINUTE_MS,
    limit: { max: ASKS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Wait before the second attempt at an unreachable target, in milliseconds. */
const PATIENCE_MS = 10 * SECOND_MS;

/** Returns the status of a finding after its replay. */
export function statusAfter({
  reproduced,
  looked,
  isInconclusive,
}: Pick<Replay, 'reproduced' | 'looked' | 'isInconclusive'>): Finding['status'] {
  if (reproduced) return 'confirmed';
  if (!looked) return 'unreproduced';
  return isInconclusive ? 'inconclusive' : 'refuted';
}

interface Replayed {
  readonly replay: Replay;
  readonly requests: number;
  readonly leftBehind: readonly LeftBehind[];
}

/** Replays a finding, and retries once after a pause if the result is unclear. */
async function replayPatiently(
  deps: AskDeps,
  plan: SessionPlan,
  replay: (session: ProbeSession) => Promise<Replay>,
): Promise<Replayed> {
  const once = async (): Promise<Replayed> => {
    const { result, ...end } = await withProbeSession(deps, plan, replay);
    return { replay: result, ...end };
  };
  const first = await once();
  const { reproduced, looked, isInconclusive } = first.replay;
  const isSettled = reproduced || (looked && !isInconclusive);
  if (isSettled || plan.signal.aborted) return first;
  await pause(deps.clock, PATIENCE_MS, plan.signal);
  const second = await once();
  return {
    replay: second.replay,
    requests: first.requests + second.requests,
    leftBehind: [...first.leftBehind, ...second.leftBehind],
  };
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = clock.at(clock.now() + ms, resolve);
    const stop = () => {
      end();
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

type Counted = Omit<Opening, 'limits'> & { readonly tally: Tally };

async function lookOnce(deps: AskDeps, order: TargetOrder, counted: Counted): Promise<Recon> {
  const requestsMax = Math.min(RECON_REQUESTS_MAX, order.requestsLeft);
  const limits = { requestsMax, totalMs: LOOK_MS };
  return await withTarget(deps.targets, order, { ...counted, limits }, runRecon);
}

async function lookAgain(deps: AskDeps, order: LookOrder, counted: Counted): Promise<LookAnswer> {
  const { tally } = counted;
  const earlier = Recon.parse(loadKept(deps.blobs, order.reconSha));
  try {
    const first = await lookOnce(deps, order, counted);
    if (!hasChanged(earlier, first)) return { state: 'same', ...tally };
    const second = await lookOnce(deps, order, counted);
    // Definitions that differ between connections are left to a probe.
    if (!hasChanged(earlier, second)) return { state: 'same', ...tally };
    const finding = changedFinding({ earlier, first, second, seatId: order.seatId });
    const recon = await keepRecon(deps, second);
    return { state: 'changed', recon, finding: await keepFinding(deps, finding), ...tally };
  } catch (thrown) {
    if (toAppError(thrown).code !== 'AUDIT_TARGET_DOWN') throw thrown;
    if (await isAlive(deps.targets, order, counted)) throw thrown;
    return { state: 'down', reason: reasonOf(thrown), ...tally };
  }
}

async function runProbe(
  deps: AskDeps,
  probe: Probe,
  order: ProbeOrder,
  { signal }: EffectContext,
): Promise<ProbeRun> {
  try {
    const plan = sessionPlan(deps, probe, order, signal);
    const end = await withProbeSession(deps, plan, (session) => probe.run(session));
    const { result, leftBehind, requests } = end;
    return {
      ...result,
      requests,
      ...(leftBehind.length === 0 ? {} : { leftBehind: [...leftBehind] }),
    };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const { probeId, version: probeVersion, category, mode } = probe;
    const facts = { probeId, probeVersion, category, mode };
    return {
      ...facts,
      ...{ outcome: 'failed', reason: reasonOf(thrown), requests: 1, subjects: [], findings: [] },
    };
  }
}

function sessionPlan(
  deps: AskDeps,
  probe: Probe,
  order: ProbeOrder | ReplayOrder,
  signal: AbortSignal,
) {
  return {
    address: order.target,
    recon: Recon.parse(loadKept(deps.blobs, order.reconSha)),
    limits: {
      requestsMax: Math.min(probe.requestsMax, order.requestsLeft),
      bytesMax: BYTES_MAX,
      totalMs: probe.totalMs,
    },
    seed: order.seed,
    allowWrites: order.allowWrites,
    signal,
  };
}

async function keepRecon({ blobs }: AskDeps, recon: Recon): Promise<ReconRef> {
  const sha = await blobs.put(JSON.stringify(recon));
  const { pins, tools, access } = recon;
  return { sha, whole: pins.whole, tools: tools.length, access };
}

async function keepRun({ blobs }: AskDeps, run: ProbeRun): Promise<RunRef> {
  // Findings are stored separately, because replays change them.
  const sha = await blobs.put(JSON.stringify({ ...run, findings: [] }));
  const { probeId, outcome, requests, reason } = run;
  return { probeId, outcome, requests, sha, reason };
}

async function keepFinding({ blobs }: AskDeps, finding: Finding): Promise<FindingRef> {
  const sha = await blobs.put(JSON.stringify(finding));
  const { findingId, category, probeId, severity, status } = finding;
  return { findingId, category, probeId, severity, status, sha };
}

/** Result for a probe that only another version of this program has. */
function notHere({ probeId }: ProbeOrder): ProbeAnswer {
  const reason = 'This version of the probe set does not contain the probe.';
  const run: RunRef = { probeId, outcome: 'blocked', requests: 0, sha: '', reason };
  return { run, findings: [], isDown: false };
}

function originKey({ target }: Pick<TargetOrder, 'target'>): string {
  return target.kind === 'mcp_stdio' ? `stdio:${target.name}` : new URL(target.url).origin;
}

const REASON_CHARS_MAX = 300;

function reasonOf(thrown: unknown): string {
  const { code, message } = toAppError(thrown);
  return `${code}: ${message}`.slice(0, REASON_CHARS_MAX);
}
