import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { Parsed, UpstreamAnswer, UpstreamReader } from './upstream-reader.ts';
import { UPSTREAMS, type UpstreamId } from './upstreams.ts';

/** Time limit for one upstream, repeats included, in milliseconds. */
export const CHECK_MS = 30 * SECOND_MS;

/** The result of checking one upstream. */
export interface UpstreamCheck {
  readonly upstream: UpstreamId;
  /** Whether it answered with status 200 and a body. */
  readonly answered: boolean;
  /** Milliseconds until the result, including waits for the rate limit. */
  readonly ms: number;
  /** Size of the body; `null` without one. */
  readonly bytes: number | null;
  /** Error code; `null` if it answered. */
  readonly fault: string | null;
  readonly detail: string;
}

/** Requests one small answer from each upstream, all in parallel. Never throws for a failure. */
export async function checkUpstreams(
  { reader, clock }: { readonly reader: UpstreamReader; readonly clock: Clock },
  upstreams: readonly UpstreamId[],
): Promise<readonly UpstreamCheck[]> {
  return Promise.all(upstreams.map((upstream) => checkUpstream(reader, clock, upstream)));
}

async function checkUpstream(
  reader: UpstreamReader,
  clock: Clock,
  upstream: UpstreamId,
): Promise<UpstreamCheck> {
  const from = clock.now();
  const request = { upstream, path: UPSTREAMS[upstream].probe, deadline: from + CHECK_MS };
  const reading = await reader.read(request, checkBody);
  const ms = Math.round(clock.now() - from);
  if (reading.ok) {
    const { url, bytes } = reading.source;
    return { upstream, answered: true, ms, bytes, fault: null, detail: url };
  }
  const { code, detail } = reading.fault;
  return { upstream, answered: false, ms, bytes: null, fault: code, detail };
}

function checkBody({ status, body }: UpstreamAnswer): Parsed<true> {
  if (status === 200 && body.byteLength > 0) return { value: true };
  return {
    fault: status === 404 ? 'upstream_gone' : 'upstream_bad_payload',
    why: `HTTP ${status}`,
  };
}
