import { AppError } from '../../domain/common/error.ts';
import type { DatabaseHosts } from '../../domain/hosting/database-host.ts';
import {
  createKeyValueRecord,
  createPostgresRecord,
} from '../../domain/hosting/database-record.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import type { KeyValue, Postgres } from '../../domain/hosting/records.ts';
import { createDatabaseRegistry, type DatabaseRegistryDeps } from './database-registry.ts';
import type { LocalProviderDeps } from './local-provider-deps.ts';

const NO_POSTGRES = 'Postgres is not set up on this server.';
const NO_KEY_VALUE = 'Key Value is not set up on this server.';

/** Dependencies of local databases. */
export interface LocalDatabaseDeps extends DatabaseRegistryDeps {
  readonly hosts: DatabaseHosts;
}

/**
 * Creates the Postgres and Key Value providers of this machine. A missing one rejects orders with
 * the reason.
 */
export function createLocalDatabases(parts: LocalDatabaseDeps): LocalProviderDeps['databases'] {
  const { postgres, keyValue } = parts.hosts;
  return {
    postgres: createLocalPostgres(parts),
    keyValue: createLocalKeyValue(parts),
    abilities: async () => ({
      postgres: (await postgres?.listFeatures()) ?? {},
      keyValue: (await keyValue?.listFeatures())?.[''] ?? { able: false, why: NO_KEY_VALUE },
    }),
  };
}

function createLocalPostgres(parts: LocalDatabaseDeps): HostingProvider['postgres'] {
  const { random, hosts } = parts;
  const host = hosts.postgres;
  const registry = createDatabaseRegistry<Postgres>(parts, {
    kind: 'postgres',
    host,
    missingReason: NO_POSTGRES,
    isOwn: (record) => 'databaseName' in record,
    toItem: (record, state) => ({
      ...record,
      ...state,
      suspended: state.status === 'suspended' ? 'suspended' : 'not_suspended',
    }),
  });
  return {
    ...registry.port,
    create: (order) =>
      registry.create(order, async (made) => {
        const ability = (await host?.listFeatures())?.[String(order.version)];
        if (ability?.able !== true) {
          const why =
            host === undefined ? NO_POSTGRES : `Postgres ${order.version} is not available here.`;
          throw notConfiguredError(ability?.why ?? why, order.version);
        }
        return createPostgresRecord(order, made, random);
      }),
    query: async (id, sql, signal) => {
      const { database, status } = await registry.held(id);
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

function createLocalKeyValue(parts: LocalDatabaseDeps): HostingProvider['keyValue'] {
  const host = parts.hosts.keyValue;
  const registry = createDatabaseRegistry<KeyValue>(parts, {
    kind: 'key_value',
    host,
    missingReason: NO_KEY_VALUE,
    isOwn: (record) => 'options' in record,
    toItem: (record, state) => ({ ...record, ...state }),
  });
  return {
    ...registry.port,
    create: (order) =>
      registry.create(order, async (made) => {
        const ability = (await host?.listFeatures())?.[''];
        if (ability?.able !== true)
          throw notConfiguredError(ability?.why ?? NO_KEY_VALUE, order.plan);
        return createKeyValueRecord(order, made, ability.version);
      }),
  };
}

function notConfiguredError(message: string, received: unknown): AppError {
  return new AppError('NOT_CONFIGURED', { message, data: { received } });
}
