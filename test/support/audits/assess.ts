import { statusAfterReplay } from '../../../src/actors/audit/audit-effects.ts';
import { PROBES } from '../../../src/actors/audit/probes/probes.ts';
import type { Probe, ProbeSession } from '../../../src/actors/audit/session/probe.ts';
import {
  type SessionDeps,
  withProbeSession,
} from '../../../src/actors/audit/session/probe-session.ts';
import { RECON_REQUESTS_MAX, runRecon } from '../../../src/actors/audit/session/recon.ts';
import type { AuditTargets } from '../../../src/domain/audit/audit-target.ts';
import { formatLeftBehind, type LeftBehind } from '../../../src/domain/audit/probe/left-behind.ts';
import type { Recon } from '../../../src/domain/audit/probe/recon.ts';
import type { Finding, ProbeRun, TargetAddress } from '../../../src/domain/audit/records.ts';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { realClock } from '../real-clock.ts';
import { startTarget } from '../targets/start-target.ts';
import type { RunningTarget, Target, Variant } from '../targets/target.ts';

/** What an audit of one target saw. */
export interface Assessment {
  readonly recon: Recon;
  readonly runs: readonly ProbeRun[];
  /** With the status that they have after their replay. */
  readonly findings: readonly Finding[];
  /** What could not be undone, in the words of the report. */
  readonly leftBehind: string;
  readonly requests: number;
}

/** How a target is assessed. */
export interface AssessOptions {
  readonly probes?: readonly Probe[];
  readonly seed?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly targets?: AuditTargets;
  /** Whether tools that write are tried; they are where nothing is said. */
  readonly allowWrites?: boolean;
}

/** Targets of tests stand on loopback. */
export const loopbackTargets = createAuditTargets({ allowInternal: true, commands: [] });

/** Starts a variant of a target, runs the probes, replays what they find, and ends it. */
export async function assessVariant(
  target: Target,
  variant: Variant,
  options: AssessOptions = {},
): Promise<Assessment> {
  const running = await startTarget(target, variant);
  try {
    const { headers } = running;
    const targets = admitting(running);
    return await assess({ kind: 'mcp_http', url: running.url }, { headers, targets, ...options });
  } finally {
    await running.close();
  }
}

/** Runs the probes on a target and replays what they find, as an audit does. */
export async function assess(
  address: TargetAddress,
  options: AssessOptions = {},
): Promise<Assessment> {
  const { probes = PROBES, seed = 'assess', allowWrites = true, headers } = options;
  const { targets = loopbackTargets } = options;
  const parts: SessionDeps = { targets, clock: realClock };
  const credentials = headers === undefined ? {} : { headers };
  const recon = await reconOf(address, parts, { seed, ...credentials });
  const runs: ProbeRun[] = [];
  const findings: Finding[] = [];
  const left: LeftBehind[] = [];
  let requests = 0;
  for (const probe of probes) {
    const within = async <T>(work: (session: ProbeSession) => Promise<T>): Promise<T> => {
      const end = await withProbeSession(
        parts,
        {
          address,
          recon,
          limits: {
            requestsMax: probe.requestsMax,
            bytesMax: 20_000_000,
            totalMs: probe.totalMs,
          },
          seed,
          allowWrites,
          signal: new AbortController().signal,
          ...credentials,
        },
        work,
      );
      left.push(...end.leftBehind);
      requests += end.requests;
      return end.result;
    };
    const run = await within((session) => probe.run(session));
    runs.push(run);
    for (const finding of run.findings) {
      if (finding.status !== 'unreproduced') {
        findings.push(finding);
        continue;
      }
      const replay = await within((session) => probe.replay(session, finding));
      findings.push({ ...finding, status: statusAfterReplay(replay) });
    }
  }
  return { recon, runs, findings, leftBehind: formatLeftBehind(left), requests };
}

async function reconOf(
  address: TargetAddress,
  { targets }: SessionDeps,
  how: { readonly seed: string; readonly headers?: Readonly<Record<string, string>> },
): Promise<Recon> {
  const target = await targets.open(address, {
    limits: { requestsMax: RECON_REQUESTS_MAX, bytesMax: 5_000_000, totalMs: 30_000 },
    canarySeed: how.seed,
    ...(how.headers === undefined ? {} : { headers: how.headers }),
  });
  try {
    return await runRecon(target);
  } finally {
    await target.close();
  }
}

/** The listener's ports are told to the target: one stands for the internet, one for the inside. */
function admitting(running: RunningTarget): AuditTargets {
  return {
    ...loopbackTargets,
    listen: async (address) => {
      const listener = await loopbackTargets.listen(address);
      if (listener !== undefined) {
        running.admit(Number(new URL(listener.url('x')).port), 'internal');
        running.admit(Number(new URL(listener.redirect('x')).port), 'public');
      }
      return listener;
    },
  };
}
