import { AppError } from '../../domain/common/error.ts';
import type { DatabaseHosts } from '../../domain/hosting/database-host.ts';
import { keyValueRecord, postgresRecord } from '../../domain/hosting/database-record.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { KeyValue, Postgres } from '../../domain/hosting/records.ts';
import { type DatabaseShelfParts, databaseShelf } from './database-shelf.ts';
import type { LocalProviderParts } from './local-parts.ts';

const NO_POSTGRES = 'Postgres is not set up on this server.';
const NO_KEY_VALUE = 'Key Value is not set up on this server.';

/** Dependencies of local databases. */
export interface LocalDatabaseParts extends DatabaseShelfParts {
  readonly hosts: DatabaseHosts;
}

/**
 * Creates the Postgres and Key Value providers of this machine. A missing one rejects orders with
 * the reason.
 */
export function localDatabases(parts: LocalDatabaseParts): LocalProviderParts['databases'] {
  const { postgres, keyValue } = parts.hosts;
  return {
    postgres: localPostgres(parts),
    keyValue: localKeyValue(parts),
    abilities: async () => ({
      postgres: (await postgres?.abilities()) ?? {},
      keyValue: (await keyValue?.abilities())?.[''] ?? { able: false, why: NO_KEY_VALUE },
    }),
  };
}

function localPostgres(parts: LocalDatabaseParts): HostingProvider['postgres'] {
  const { random, hosts } = parts;
  const host = hosts.postgres;
  const shelf = databaseShelf<Postgres>(parts, { kind: 'postgres', host, why: NO_POSTGRES });
  return {
    ...shelf.port,
    create: (order, key) =>
      shelf.create(order, key, async (made) => {
        const ability = (await host?.abilities())?.[String(order.version)];
        if (ability?.able !== true) {
          const why =
            host === undefined ? NO_POSTGRES : `Postgres ${order.version} is not available here.`;
          throw missing(ability?.why ?? why, order.version);
        }
        return postgresRecord(order, made, random);
      }),
    query: async (id, sql, signal) => {
      const { database, status } = await shelf.held(id);
      if (database.record.ipAllowList.length === 0) {
        throw new AppError('SQL_BLOCKED', {
          message: 'External connections are blocked: the IP allowlist of the database is empty.',
          data: { postgres: id },
        });
      }
      if (status !== 'available' || host === undefined) {
        const message = `The database is ${status}; it must be available to run statements.`;
        throw new AppError('HOST_UNAVAILABLE', { message, data: { status } });
      }
      return host.query(database, sql, signal);
    },
  };
}

function localKeyValue(parts: LocalDatabaseParts): HostingProvider['keyValue'] {
  const host = parts.hosts.keyValue;
  const shelf = databaseShelf<KeyValue>(parts, { kind: 'key_value', host, why: NO_KEY_VALUE });
  return {
    ...shelf.port,
    create: (order, key) =>
      shelf.create(order, key, async (made) => {
        const ability = (await host?.abilities())?.[''];
        if (ability?.able !== true) throw missing(ability?.why ?? NO_KEY_VALUE, order.plan);
        return keyValueRecord(order, made, ability.version);
      }),
  };
}

function missing(message: string, received: unknown): AppError {
  return new AppError('NOT_CONFIGURED', { message, data: { received } });
}
