import { onTestFinished } from 'vitest';
import type { UpstreamReader } from '../../../src/providers/data/upstream-reader.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { realClock } from '../real-clock.ts';
import type { UpstreamFault } from './fault-dial.ts';
import { quickReader } from './quick-reader.ts';
import { type MadeAnswer, type UpstreamServer, upstreamServer } from './upstream-server.ts';

/** The operator of tests, as upstreams are told. */
export const CONTACT = 'operator@example.org';

/** Upstreams on loopback, and readers of them. */
export interface ReadingRig {
  readonly server: UpstreamServer;
  /** A reader that waits little between repeats, and less still for what never answers. */
  reader(fault?: UpstreamFault): UpstreamReader;
}

/** Starts upstreams on loopback; they end with the test. `made` answers before fixtures. */
export async function readingRig(made?: MadeAnswer): Promise<ReadingRig> {
  const server = await upstreamServer(Date.now, made);
  const egress = createEgress({
    clock: realClock,
    userAgent: `stoa/test (+${CONTACT})`,
    allowHosts: [server.host],
  });
  onTestFinished(async () => {
    await egress.close();
    await server.close();
  });
  return {
    server,
    reader: (fault) => quickReader({ egress, baseUrls: server.baseUrls, contact: CONTACT, fault }),
  };
}
