import type { Key } from 'lmdb';
import type { EventFeed } from '../../domain/event/event-log.ts';
import type { Compacted, FamilySize } from '../../runtime/engine/ports.ts';
import { Environment } from '../common/environment.ts';
import type { EnvironmentOptions } from '../common/environment-options.ts';
import { Rows } from '../common/rows.ts';
import { LmdbPublicEvents } from '../event/public-events.ts';

const FORMAT = 1;

/** What trust keeps beside the actors and the proofs. */
export interface TrustStore {
  /** For tables that change together; see {@link Rows.change}. */
  readonly environment: Environment;
  /** The public feed. */
  readonly events: EventFeed;
  /**
   * A small table of an owner of its own. Every table is opened by `openTrustStore`, so that its
   * size is told and docs/retention.md covers it.
   */
  table<Name extends Key, Row>(family: TrustTable): Rows<Name, Row>;
  /** Gives free space back to the file system, when more than half of the file is free. */
  compact(): Promise<Compacted | undefined>;
  /** Rows and bytes of each key family. */
  sizes(): readonly FamilySize[];
  close(): Promise<void>;
}

/** The small tables: a new one is named here, in families.ts and in docs/retention.md. */
export const TRUST_TABLES = [
  'wallet-nonces',
  'wallet-nonces-due',
  'payment-ids',
  'payment-ids-due',
  'passports',
  'escrow-marks',
  'escrow-unclaimed',
] as const;
/** See {@link TRUST_TABLES}. */
export type TrustTable = (typeof TRUST_TABLES)[number];

/**
 * Opens what trust keeps on disk.
 *
 * @throws {EngineError} `STORE_NEWER` when a newer program has written here.
 */
export function openTrustStore(options: EnvironmentOptions): TrustStore {
  const environment = new Environment(options, FORMAT);
  for (const family of TRUST_TABLES) environment.texts(family);
  return {
    environment,
    events: new LmdbPublicEvents(environment),
    table: (family) => new Rows(environment, family),
    compact: () => environment.compact(),
    sizes: () => environment.sizes(),
    close: () => environment.close(),
  };
}
