import type { Key } from 'lmdb';
import type { EventFeed } from '../../domain/event/event-log.ts';
import type { Compacted, FamilySize } from '../../runtime/engine/ports.ts';
import { Environment } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import { JsonTable } from '../common/json-table.ts';
import { LmdbPublicEvents } from '../event/public-events.ts';

const FORMAT = 1;

/** Persistent trust data other than actors and proofs. */
export interface TrustStore {
  /** For commits that change several tables. */
  readonly environment: Environment;
  /** The public feed. */
  readonly events: EventFeed;
  /**
   * Returns a small table for one owner. `openTrustStore` opens every table, so that its size is
   * reported and docs/retention.md covers it.
   */
  table<Name extends Key, Row>(family: TrustTable): JsonTable<Name, Row>;
  /** Returns free space to the file system if more than half of the file is free. */
  compact(): Promise<Compacted | undefined>;
  /** Returns rows and bytes of each key family. */
  sizes(): readonly FamilySize[];
  close(): Promise<void>;
}

/** Names of the small tables. A new one is its file, a line here, and a row of families.ts. */
export const TRUST_TABLES = [
  'wallet-nonces',
  'wallet-nonces-due',
  'payment-ids',
  'payment-ids-due',
  'passports',
  'feedback-files',
  'feedback-marks',
  'escrow-marks',
  'escrow-unclaimed',
  'push-configs',
] as const;
/** Name of a small table in the trust store. */
export type TrustTable = (typeof TRUST_TABLES)[number];

/**
 * Opens the trust store on disk.
 *
 * @throws {EngineError} `STORE_NEWER` if a newer program has written to this store.
 */
export function openTrustStore(options: EnvironmentOptions): TrustStore {
  const environment = new Environment(options, FORMAT);
  for (const family of TRUST_TABLES) environment.openTable(family);
  return {
    environment,
    events: new LmdbPublicEvents(environment),
    table: (family) => new JsonTable(environment, family),
    compact: () => environment.compact(),
    sizes: () => environment.sizes(),
    close: () => environment.close(),
  };
}
