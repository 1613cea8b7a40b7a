import { AppError } from '../../../src/domain/common/error.ts';
import { consolePageUrl } from '../../../src/domain/hosting/console-pages.ts';
import type { ConnectionInfo, HostingProvider } from '../../../src/domain/hosting/hosting.ts';
import { createHostedId, createSlug } from '../../../src/domain/hosting/ids.ts';
import type { AllowedRange, Postgres } from '../../../src/domain/hosting/records.ts';
import { invalidParameter, missingResourceError, toPage } from './paging.ts';
import { assertWorkspace, nameTakenError } from './services.ts';
import type { MemoryState, StoredDatabase } from './state.ts';

/** Default allowlist of a database. */
const LOOPBACK: readonly AllowedRange[] = [
  { cidrBlock: '127.0.0.1/32', description: 'this machine' },
  { cidrBlock: '::1/128', description: 'this machine' },
];
const CIDR = /^(?:\d{1,3}(?:\.\d{1,3}){3}\/\d{1,2}|[0-9a-f:]+\/\d{1,3})$/i;
const PASSWORD_BYTES = 24;

/** Common part of both kinds of databases. */
interface StoredRecord {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly status: Postgres['status'];
  readonly ipAllowList: readonly AllowedRange[];
  readonly updatedAt: string;
  readonly suspended?: Postgres['suspended'];
}

/** Creates the in-memory Postgres servers: records only, unless the test answers statements. */
export function createMemoryPostgres(state: MemoryState): HostingProvider['postgres'] {
  const { random, abilities, sql } = state.options;
  const operations = databaseOperations(state, state.postgres);
  return {
    ...operations,
    create: async (order) =>
      operations.create(order, () => {
        const { name, ownerId, plan, region, version, diskSizeGB } = order;
        const ability = abilities?.postgres?.[String(version)];
        if (ability?.able === false) throw notConfiguredError(ability.why);
        const at = state.now();
        const databaseName = createSlug(name, () => false, random).replaceAll('-', '_');
        const id = createHostedId('postgres', random);
        return {
          id,
          name,
          ownerId,
          plan,
          region,
          databaseName,
          diskSizeGB,
          version: String(version),
          status: 'creating',
          role: 'primary',
          databaseUser: `${databaseName}_user`,
          suspended: 'not_suspended',
          ipAllowList: LOOPBACK,
          dashboardUrl: consolePageUrl(state.origin(), id),
          createdAt: at,
          updatedAt: at,
        };
      }),
    query: async (id, text, signal) => {
      const { ipAllowList, status } = await operations.get(id);
      if (ipAllowList.length === 0) throw new AppError('SQL_BLOCKED', { data: { postgres: id } });
      if (status !== 'available') throw new AppError('HOST_UNAVAILABLE', { data: { status } });
      if (sql !== undefined) return sql(text, signal);
      throw new AppError('SQL_REFUSED', { message: 'There is no database behind this record.' });
    },
    connection: async (id) => operations.connection(id, 'postgresql'),
  };
}

/** Creates the in-memory Key Value instances: records only. */
export function createMemoryKeyValue(state: MemoryState): HostingProvider['keyValue'] {
  const { random, abilities } = state.options;
  const held = databaseOperations(state, state.keyValue);
  return {
    ...held,
    create: async (order) =>
      held.create(order, () => {
        const { name, ownerId, plan, region, maxmemoryPolicy, persistenceMode } = order;
        if (abilities?.keyValue?.able === false) throw notConfiguredError(abilities.keyValue.why);
        const at = state.now();
        const id = createHostedId('key_value', random);
        return {
          id,
          name,
          ownerId,
          plan,
          region,
          status: 'creating',
          version: 'memory 1.0.0',
          options: { maxmemoryPolicy, persistenceMode },
          ipAllowList: LOOPBACK,
          dashboardUrl: consolePageUrl(state.origin(), id),
          createdAt: at,
          updatedAt: at,
        };
      }),
    connection: async (id) => held.connection(id, 'redis'),
  };
}

/** Implements the operations shared by both kinds of databases. */
function databaseOperations<Item extends StoredRecord>(
  state: MemoryState,
  rows: Map<string, StoredDatabase<Item>>,
) {
  const { clock, random } = state.options;
  const find = (id: string): StoredDatabase<Item> => {
    const found = rows.get(id);
    if (found === undefined) throw missingResourceError(id);
    return found;
  };
  const change = (row: StoredDatabase<Item>, part: Partial<StoredRecord>): Item => {
    row.item = { ...row.item, ...part, updatedAt: state.now() };
    return row.item;
  };
  return {
    list: async (query: { ownerId: string; limit: number; cursor?: string }) => {
      assertWorkspace(state, query.ownerId);
      const own = [...rows.values()].filter(({ item }) => item.ownerId === query.ownerId);
      return toPage<Item>(own, query, 'oldest');
    },
    get: async (id: string) => find(id).item,
    remove: async (id: string) => {
      find(id);
      rows.delete(id);
    },
    setAllowList: async (id: string, ranges: readonly AllowedRange[]) => {
      const row = find(id);
      const wrong = ranges.find(({ cidrBlock }) => !CIDR.test(cidrBlock));
      if (wrong !== undefined)
        throw invalidParameter('cidrBlock', wrong.cidrBlock, 'an address and /bits');
      return change(row, { ipAllowList: [...ranges] });
    },
    setSuspended: async (id: string, isSuspended: boolean) => {
      const row = find(id);
      if ((row.item.status === 'suspended') === isSuspended) return row.item;
      return change(row, suspensionChanges(row.item, isSuspended));
    },
    connection: async (id: string, scheme: string): Promise<ConnectionInfo> => {
      const { item, password } = find(id);
      const at = (host: string): string => `${scheme}://${id}:${password}@${host}/${item.name}`;
      const allowList = item.ipAllowList;
      return { internal: at('internal'), external: at('external'), allowList };
    },
    create: (
      order: { readonly ownerId: string; readonly name: string },
      make: () => Item,
    ): Item => {
      assertWorkspace(state, order.ownerId);
      const isTaken = [...rows.values()].some(
        ({ item }) => item.ownerId === order.ownerId && item.name === order.name,
      );
      if (isTaken) throw nameTakenError(order.name);
      const item = make();
      const password = Buffer.from(random.bytes(PASSWORD_BYTES)).toString('hex');
      const row: StoredDatabase<Item> = { seq: state.next(), item, password };
      rows.set(item.id, row);
      const isMade = () => row.item.status === 'creating' && change(row, { status: 'available' });
      clock.at(clock.now() + state.stepMs, isMade);
      return item;
    },
  };
}

/** Returns the record changes of a suspension or its end. */
function suspensionChanges(item: StoredRecord, isSuspended: boolean): Partial<StoredRecord> {
  const status = isSuspended ? 'suspended' : 'available';
  if (item.suspended === undefined) return { status };
  return { status, suspended: isSuspended ? 'suspended' : 'not_suspended' };
}

function notConfiguredError(why: string): AppError {
  return new AppError('NOT_CONFIGURED', { message: why });
}
