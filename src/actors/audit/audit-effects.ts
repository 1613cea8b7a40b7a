import type { AuditTargets } from '../../domain/audit/audit-target.ts';
import type { FindingRef, RunRef } from '../../domain/audit/order.ts';
import type { LeftBehind } from '../../domain/audit/probe/left-behind.ts';
import { Recon } from '../../domain/audit/probe/recon.ts';
import { Finding, type ProbeRun } from '../../domain/audit/records.ts';
import { toAppError } from '../../domain/common/error.ts';
import { pause } from '../../domain/common/pause.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import type {
  ConsentInput,
  ConsentOutput,
  ProbeInput,
  ProbeOutput,
  RecheckInput,
  RecheckOutput,
  ReconOutput,
  ReconRef,
  ReplayInput,
  ReplayOutput,
  TargetInput,
} from '../../machines/audit/audit-context.ts';
import type { Effect, EffectContext } from '../../runtime/engine/types.ts';
import { loadStoredJson } from '../common/load-stored-json.ts';
import type { Services } from '../common/services.ts';
import type { ControlCheck } from './session/control-check.ts';
import { createChangeFinding } from './session/definition-changes.ts';
import type { Probe, ProbeSession, Replay } from './session/probe.ts';
import { type SessionPlan, withProbeSession } from './session/probe-session.ts';
import { RECON_REQUESTS_MAX, runRecon } from './session/recon.ts';
import { checkControlWithRetry } from './session/retry-control.ts';
import {
  BYTES_MAX,
  hasChanged,
  isAlive,
  type Opening,
  RECON_TIMEOUT_MS,
  type Tally,
  withTarget,
} from './session/with-target.ts';

/**
 * Maximum concurrent requests per origin over all audits, so that probes do not disturb each other.
 */
export const EFFECTS_PER_ORIGIN_MAX = 1;

/** Dependencies of audit effects. */
export interface AuditEffectDeps extends Pick<Services, 'blobs' | 'clock'> {
  readonly targets: AuditTargets;
  readonly probes: readonly Probe[];
  readonly control: ControlCheck;
}

/** Creates the `consent` effect, which verifies control of the target. */
export function createConsentEffect({
  control,
}: AuditEffectDeps): Effect<ConsentInput, ConsentOutput> {
  return {
    run: (order, { signal }) => control.check(order, signal),
    timeoutMs: MINUTE_MS,
    attempts: 3,
  };
}

/** Creates the `recon` effect, which reads what the target discloses to anyone. */
export function createReconEffect(deps: AuditEffectDeps): Effect<TargetInput, ReconOutput> {
  return {
    run: async (order, { signal }) => {
      const tally = { requests: 0 };
      try {
        const recon = await readRecon(deps, order, { signal, tally });
        return { state: 'seen', recon: await storeRecon(deps, recon), ...tally };
      } catch (thrown) {
        if (signal.aborted) throw thrown;
        return { state: 'down', reason: reasonOf(thrown), ...tally };
      }
    },
    timeoutMs: 2 * MINUTE_MS,
    limit: { max: EFFECTS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Creates the `probe` effect, which runs one probe of one seat. */
export function createProbeEffect(deps: AuditEffectDeps): Effect<ProbeInput, ProbeOutput> {
  return {
    run: async (order, context) => {
      const probe = deps.probes.find(({ probeId }) => probeId === order.probeId);
      if (probe === undefined) return missingProbeAnswer(order);
      const run = await runProbe(deps, probe, order, context);
      const tally = { requests: 0 };
      const asked = { signal: context.signal, tally };
      const isDown = run.outcome === 'failed' && !(await isAlive(deps.targets, order, asked));
      const findings = await Promise.all(run.findings.map((one) => storeFinding(deps, one)));
      return { run: await storeRun(deps, run), findings, isDown, pings: tally.requests };
    },
    timeoutMs: 5 * MINUTE_MS,
    limit: { max: EFFECTS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Creates the `look` effect, which checks that the target and its consent are unchanged. */
export function createLookEffect(deps: AuditEffectDeps): Effect<RecheckInput, RecheckOutput> {
  return {
    run: async (order, { signal }) => {
      const control = await checkControlWithRetry(deps, order, signal);
      if (control.state === 'down') return control;
      const tally = { requests: control.requests ?? 0 };
      if (control.state === 'refused') {
        return { state: 'withdrawn', reason: control.reason, ...tally };
      }
      return await compareRecon(deps, order, { signal, tally });
    },
    timeoutMs: 2 * MINUTE_MS,
    isRetryable: (error) => toAppError(error).code !== 'AUDIT_BUDGET',
    limit: { max: EFFECTS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Creates the `replay` effect, in which another seat reproduces a finding in new connections. */
export function createReplayEffect(deps: AuditEffectDeps): Effect<ReplayInput, ReplayOutput> {
  return {
    run: async (order, { signal }) => {
      const finding = Finding.parse(loadStoredJson(deps.blobs, order.finding.sha));
      const probe = deps.probes.find(({ probeId }) => probeId === finding.probeId);
      if (probe === undefined) return { finding: order.finding, requests: 0 };
      const plan = createSessionPlan(deps, probe, order, signal);
      const { replay, requests, leftBehind } = await replayWithRetry(deps, plan, (session) =>
        probe.replay(session, finding),
      );
      const { reproduced, looked, isInconclusive, evidence } = replay;
      const tally = { requests };
      const isBlind = !reproduced && !looked;
      const isDown = isBlind && !(await isAlive(deps.targets, order, { signal, tally }));
      const again: Finding = {
        ...finding,
        status: statusAfterReplay({ reproduced, looked, isInconclusive }),
        reproducedBy: reproduced ? order.seatId : null,
        replay: evidence,
        ...(leftBehind.length === 0 ? {} : { leftBehind: [...leftBehind] }),
      };
      return { finding: await storeFinding(deps, again), isDown, ...tally };
    },
    timeoutMs: 5 * MINUTE_MS,
    limit: { max: EFFECTS_PER_ORIGIN_MAX, key: originKey },
  };
}

/** Wait before the second attempt at an unreachable target, in milliseconds. */
const RETRY_PAUSE_MS = 10 * SECOND_MS;

/** Returns the status of a finding after its replay. */
export function statusAfterReplay({
  reproduced,
  looked,
  isInconclusive,
}: Pick<Replay, 'reproduced' | 'looked' | 'isInconclusive'>): Finding['status'] {
  if (reproduced) return 'confirmed';
  if (!looked) return 'unreproduced';
  return isInconclusive ? 'inconclusive' : 'refuted';
}

interface ReplayResult {
  readonly replay: Replay;
  readonly requests: number;
  readonly leftBehind: readonly LeftBehind[];
}

/** Replays a finding, and retries once after a pause if the result is unclear. */
async function replayWithRetry(
  deps: AuditEffectDeps,
  plan: SessionPlan,
  replay: (session: ProbeSession) => Promise<Replay>,
): Promise<ReplayResult> {
  const once = async (): Promise<ReplayResult> => {
    const { result, ...end } = await withProbeSession(deps, plan, replay);
    return { replay: result, ...end };
  };
  const first = await once();
  const { reproduced, looked, isInconclusive } = first.replay;
  const isSettled = reproduced || (looked && !isInconclusive);
  if (isSettled || plan.signal.aborted) return first;
  await pause(deps.clock, RETRY_PAUSE_MS, plan.signal);
  const second = await once();
  return {
    replay: second.replay,
    requests: first.requests + second.requests,
    leftBehind: [...first.leftBehind, ...second.leftBehind],
  };
}

type CountedOpening = Omit<Opening, 'limits'> & { readonly tally: Tally };

async function readRecon(
  deps: AuditEffectDeps,
  order: TargetInput,
  counted: CountedOpening,
): Promise<Recon> {
  const requestsMax = Math.min(RECON_REQUESTS_MAX, order.requestsLeft);
  const limits = { requestsMax, totalMs: RECON_TIMEOUT_MS };
  return await withTarget(deps.targets, order, { ...counted, limits }, runRecon);
}

async function compareRecon(
  deps: AuditEffectDeps,
  order: RecheckInput,
  counted: CountedOpening,
): Promise<RecheckOutput> {
  const { tally } = counted;
  const earlier = Recon.parse(loadStoredJson(deps.blobs, order.reconSha));
  try {
    const first = await readRecon(deps, order, counted);
    if (!hasChanged(earlier, first)) return { state: 'same', ...tally };
    const second = await readRecon(deps, order, counted);
    // Definitions that differ between connections are left to a probe.
    if (!hasChanged(earlier, second)) return { state: 'same', ...tally };
    const finding = createChangeFinding({ earlier, first, second, seatId: order.seatId });
    const recon = await storeRecon(deps, second);
    return { state: 'changed', recon, finding: await storeFinding(deps, finding), ...tally };
  } catch (thrown) {
    if (toAppError(thrown).code !== 'AUDIT_TARGET_DOWN') throw thrown;
    if (await isAlive(deps.targets, order, counted)) throw thrown;
    return { state: 'down', reason: reasonOf(thrown), ...tally };
  }
}

async function runProbe(
  deps: AuditEffectDeps,
  probe: Probe,
  order: ProbeInput,
  { signal }: EffectContext,
): Promise<ProbeRun> {
  try {
    const plan = createSessionPlan(deps, probe, order, signal);
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
      outcome: 'failed',
      reason: reasonOf(thrown),
      requests: 1,
      subjects: [],
      findings: [],
    };
  }
}

function createSessionPlan(
  deps: AuditEffectDeps,
  probe: Probe,
  order: ProbeInput | ReplayInput,
  signal: AbortSignal,
) {
  return {
    address: order.target,
    recon: Recon.parse(loadStoredJson(deps.blobs, order.reconSha)),
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

async function storeRecon({ blobs }: AuditEffectDeps, recon: Recon): Promise<ReconRef> {
  const sha = await blobs.put(JSON.stringify(recon));
  const { pins, tools, access } = recon;
  return { sha, whole: pins.whole, tools: tools.length, access };
}

async function storeRun({ blobs }: AuditEffectDeps, run: ProbeRun): Promise<RunRef> {
  // Findings are stored separately, because replays change them.
  const sha = await blobs.put(JSON.stringify({ ...run, findings: [] }));
  const { probeId, outcome, requests, reason } = run;
  return { probeId, outcome, requests, sha, reason };
}

async function storeFinding({ blobs }: AuditEffectDeps, finding: Finding): Promise<FindingRef> {
  const sha = await blobs.put(JSON.stringify(finding));
  const { findingId, category, probeId, severity, status } = finding;
  return { findingId, category, probeId, severity, status, sha };
}

/** Result for a probe that only another version of this program has. */
function missingProbeAnswer({ probeId }: ProbeInput): ProbeOutput {
  const reason = 'This version of the probe set does not contain the probe.';
  const run: RunRef = { probeId, outcome: 'blocked', requests: 0, sha: '', reason };
  return { run, findings: [], isDown: false };
}

function originKey({ target }: Pick<TargetInput, 'target'>): string {
  return target.kind === 'mcp_stdio' ? `stdio:${target.name}` : new URL(target.url).origin;
}

const REASON_CHARS_MAX = 300;

function reasonOf(thrown: unknown): string {
  const { code, message } = toAppError(thrown);
  return `${code}: ${message}`.slice(0, REASON_CHARS_MAX);
}
