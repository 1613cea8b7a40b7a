import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';

/** Time limit of one readiness probe, in milliseconds. */
export const PROBE_MS_MAX = 2 * SECOND_MS;
/** How long a result is cached, in milliseconds, because anyone may call this route. */
export const READY_CACHE_MS = SECOND_MS;

/** Checks whether one component works. Rejects or returns false if it does not. */
export interface Probe {
  readonly part: string;
  /** The reason, shown to every caller. */
  readonly fault: string;
  isReady(): Promise<boolean>;
}

/** A component that does not work, and why. */
interface Reason {
  readonly part: string;
  readonly fault: string;
}

/** Creates `GET /readyz`: 200 when every component works, else 503 with the reasons as JSON. */
export function readyRoute(probes: readonly Probe[], clock: Clock): FrontRoute {
  let latest: { readonly at: number; readonly reasons: Promise<readonly Reason[]> } | undefined;
  return plainRoute({ methods: ['GET'], path: '/readyz', access: 'open' }, async () => {
    const now = clock.now();
    if (latest === undefined || now - latest.at >= READY_CACHE_MS) {
      latest = { at: now, reasons: runProbes(probes, clock) };
    }
    const reasons = await latest.reasons;
    const ready = reasons.length === 0;
    return {
      status: ready ? 200 : 503,
      headers: ['content-type', 'application/json', 'cache-control', 'no-store'],
      body: `${JSON.stringify({ ready, reasons })}\n`,
    };
  });
}

async function runProbes(probes: readonly Probe[], clock: Clock): Promise<readonly Reason[]> {
  const found = await Promise.all(probes.map((probe) => runProbe(probe, clock)));
  return probes
    .filter((_probe, at) => found[at] !== true)
    .map(({ part, fault }) => ({ part, fault }));
}

/** Runs a probe with its time limit. A late result counts as a failure. */
function runProbe(probe: Probe, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.at(clock.now() + PROBE_MS_MAX, () => resolve(false));
    const answer = (isReady: boolean): void => {
      cancel();
      resolve(isReady);
    };
    probe.isReady().then(answer, () => answer(false));
  });
}
