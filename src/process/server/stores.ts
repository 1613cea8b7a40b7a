import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { openTrustStore } from '../../store/chain/trust-store.ts';
import { openBlobStore } from '../../store/common/blob-store.ts';
import { convertStoreError } from '../../store/common/store-error.ts';
import { openEngineStore } from '../../store/engine/engine-store.ts';
import { openHostingEvents } from '../../store/hosting/hosting-events.ts';
import { openHostingLogs } from '../../store/hosting/hosting-logs.ts';
import { openHostingMetrics } from '../../store/hosting/hosting-metrics.ts';
import { openMcpState } from '../../store/session/mcp-state.ts';
import { recordContents } from '../inspect/inspect-directory.ts';
import { openProofs } from '../proof/proofs.ts';
import type { Closers } from './closers.ts';

/** The databases of a data directory. */
export type Stores = ReturnType<typeof openStores>;

/**
 * Opens the databases of a data directory. Actors, sessions and proofs have separate environments.
 *
 * @throws {AppError} `STORE_NEWER`, `STORE_FULL`
 */
export function openStores(config: Config, clock: Clock, closers: Closers) {
  const { dataDir, hosting } = config;
  const folder = join(dataDir, 'store');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closers.add(async () => recordClosed(dataDir));
  try {
    const engine = openEngineStore({ path: join(folder, 'actors') });
    closers.add(() => engine.close());
    const blobs = openBlobStore({ path: join(folder, 'blobs'), clock });
    closers.add(() => blobs.close());
    const mcp = openMcpState({ path: join(folder, 'mcp') });
    closers.add(() => mcp.close());
    const proofs = openProofs(config, clock);
    closers.add(() => proofs.log.close());
    const trust = openTrustStore({ path: join(folder, 'trust') });
    closers.add(() => trust.close());
    const hosted = hosting === undefined ? undefined : openHostingStores(folder, closers);
    return { engine, blobs, mcp, proofs, trust, hosted };
  } catch (thrown) {
    throw convertStoreError(thrown);
  }
}

/**
 * Records the contents on close. A full disk must not stop it, as the earlier record stays valid.
 */
function recordClosed(dataDir: string): void {
  try {
    recordContents(dataDir, true);
  } catch {
    // The earlier record ignores a store that has changed since.
  }
}

/** Opens the stores of hosted services. */
function openHostingStores(folder: string, closers: Closers) {
  const history = openHostingEvents({ path: join(folder, 'history') });
  closers.add(() => history.close());
  const logs = openHostingLogs({ path: join(folder, 'logs') });
  closers.add(() => logs.close());
  const metrics = openHostingMetrics({ path: join(folder, 'metrics') });
  closers.add(() => metrics.close());
  return { history, logs, metrics };
}
