import type {
  DatabaseHost,
  DatabaseOutcome,
  HostedDatabase,
  PostgresHost,
} from '../../../src/domain/hosting/database-host.ts';
import type { KeyValue, Postgres } from '../../../src/domain/hosting/records.ts';

/** Hosts of databases that keep names in memory, with what was asked of them. */
export interface MemoryDatabases {
  readonly postgres: PostgresHost;
  readonly keyValue: DatabaseHost<KeyValue>;
  /** What was done, as `start dpg-…`. */
  readonly done: string[];
  /** Allowlists that came with the work. */
  readonly lists: { readonly what: string; readonly ranges: readonly string[] }[];
  /** Why the next pieces of work fail, by what is asked; taken once each. */
  readonly failures: Map<string, DatabaseOutcome>;
  /** What the next pieces of work wait for, by what is asked; taken once each. */
  readonly waits: Map<string, Promise<void>>;
  /** Ids of servers that run. */
  readonly running: Set<string>;
}

type Stored = Pick<Postgres, 'id' | 'ipAllowList'>;
const OK: DatabaseOutcome = { ok: true };

/** Makes both hosts; servers run until they are ended or taken out of `running`. */
export function memoryDatabases(): MemoryDatabases {
  const shared = {
    done: [] as string[],
    lists: [] as { what: string; ranges: readonly string[] }[],
    failures: new Map<string, DatabaseOutcome>(),
    waits: new Map<string, Promise<void>>(),
    running: new Set<string>(),
  };
  return {
    ...shared,
    postgres: {
      ...hostOf<Postgres>(shared, 'postgresql', { '16': { able: true, version: '16.0' } }),
      query: async (_database, sql) => ({
        columns: [{ name: 'sql', type: 'text' }],
        rows: [[sql]],
      }),
    },
    keyValue: hostOf<KeyValue>(shared, 'redis', { '': { able: true, version: 'memory 1.0' } }),
  };
}

function hostOf<Record extends Postgres | KeyValue>(
  { done, lists, failures, waits, running }: Omit<MemoryDatabases, 'postgres' | 'keyValue'>,
  scheme: string,
  abilities: Awaited<ReturnType<DatabaseHost['listFeatures']>>,
): DatabaseHost<Record> {
  const work = async (what: string, record: Stored, then: () => void): Promise<DatabaseOutcome> => {
    const wait = waits.get(what);
    waits.delete(what);
    await wait;
    done.push(`${what} ${record.id}`);
    const ranges = record.ipAllowList.map(({ cidrBlock }) => cidrBlock);
    lists.push({ what: `${what} ${record.id}`, ranges });
    const failure = failures.get(what);
    failures.delete(what);
    if (failure === undefined) then();
    return failure ?? OK;
  };
  const addressOf = ({ record, password }: HostedDatabase<Record>, at: string): string =>
    `${scheme}://${record.id}:${password}@${at}`;
  return {
    listFeatures: async () => abilities,
    admit: async () => undefined,
    make: async ({ record }) => work('make', record, () => undefined),
    start: async ({ record }) => work('start', record, () => running.add(record.id)),
    watch: async ({ record }, signal) => {
      while (running.has(record.id)) {
        signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return { ok: false, reason: 'it is gone', isFinal: false };
    },
    reload: async ({ record }) => work('reload', record, () => undefined),
    stop: async ({ record }) => void (await work('stop', record, () => running.delete(record.id))),
    erase: async ({ record }) =>
      void (await work('erase', record, () => running.delete(record.id))),
    connectionAddresses: (database) => ({
      internal: addressOf(database, 'internal'),
      external: addressOf(database, 'external'),
    }),
  };
}
