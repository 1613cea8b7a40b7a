import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { UPSTREAM_PROBES } from './upstream-probes.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from './upstream-reader.ts';
import type { UpstreamId } from './upstreams.ts';

/** Milliseconds for one upstream, repeats included. */
export const CHECK_MS = 30 * SECOND_MS;

/** How one upstream answered. */
export interface UpstreamCheck {
  readonly upstream: UpstreamId;
  /** Whether its answer came with 200 and a body. */
  readonly answered: boolean;
  /** Milliseconds until it was known, waits for a turn included. */
  readonly ms: number;
  /** Of the body; `null` without one. */
  readonly bytes: number | null;
  /** Code of the fault; `null` when it answered. */
  readonly fault: string | null;
  readonly detail: string;
}

/** Asks each upstream for one small answer, all at the same time. Never throws for a failure. */
export async function checkUpstreams(
  { reader, clock }: { readonly reader: UpstreamReader; readonly clock: Clock },
  upstreams: readonly UpstreamId[],
): Promise<readonly UpstreamCheck[]> {
  return Promise.all(upstreams.map((upstream) => check(reader, clock, upstream)));
}

async function check(
  reader: UpstreamReader,
  clock: Clock,
  upstream: UpstreamId,
): Promise<UpstreamCheck> {
  const from = clock.now();
  const request = { upstream, path: UPSTREAM_PROBES[upstream], deadline: from + CHECK_MS };
  const reading = await reader.read(request, bodyOf);
  const ms = Math.round(clock.now() - from);
  if (reading.ok) {
    const { url, bytes } = reading.source;
    return { upstream, answered: true, ms, bytes, fault: null, detail: url };
  }
  const { code, detail } = reading.fault;
  return { upstream, answered: false, ms, bytes: null, fault: code, detail };
}

function bodyOf({ status, body }: UpstreamAnswer): Parsed<true> {
  if (status === 200 && body.byteLength > 0) return { value: true };
  return {
    fault: status === 404 ? 'upstream_gone' : 'upstream_bad_payload',
    why: `HTTP ${status}`,
  };
}
