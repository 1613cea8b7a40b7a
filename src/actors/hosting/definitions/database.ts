import type { Sealer } from '../../../domain/common/sealer.ts';
import { HOUR_MS } from '../../../domain/common/time.ts';
import type {
  DatabaseHost,
  DatabaseHosts,
  DatabaseOutcome,
  HostedDatabase,
} from '../../../domain/hosting/database-host.ts';
import { kindOfId } from '../../../domain/hosting/ids.ts';
import {
  type DatabaseInput,
  databaseMachine,
  version,
} from '../../../machines/hosting/database.ts';
import { define } from '../../../runtime/engine/define.ts';
import type { Definition, Effect, Migration } from '../../../runtime/engine/types.ts';
import { ATTEMPTS, KEEP, REASON_CHARS_MAX, WATCH_MS } from './effects.ts';

/** Actor kind of databases. */
export const databaseKind = { kind: 'database', machine: databaseMachine } as const;

/** Longest attempt in milliseconds; the host has shorter limits of its own. */
const WORK_MS = HOUR_MS;

/** Dependencies of database actors. */
interface DatabaseActorDeps {
  readonly hosts: DatabaseHosts;
  readonly sealer: Sealer;
}

/** Creates the actor definition of Postgres and Key Value instances. */
export function defineDatabase({ hosts, sealer }: DatabaseActorDeps): Definition {
  const hostEffect = (
    timeoutMs: number,
    run: (
      host: DatabaseHost,
      database: HostedDatabase,
      signal: AbortSignal,
    ) => Promise<DatabaseOutcome>,
  ): Effect<DatabaseInput, DatabaseOutcome> => ({
    attempts: ATTEMPTS,
    timeoutMs,
    run: async (input, { signal }) => {
      const host = selectHost(hosts, input.record.id);
      if (host === undefined) {
        return { ok: false, reason: 'this machine lacks the database programs', isFinal: true };
      }
      try {
        return await run(host, unsealDatabase(sealer, input), signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const message = thrown instanceof Error ? thrown.message : 'unknown error';
        return { ok: false, reason: message.slice(0, REASON_CHARS_MAX), isFinal: false };
      }
    },
  });
  const stopEffect = (run: (host: DatabaseHost, database: HostedDatabase) => Promise<void>) => ({
    attempts: ATTEMPTS,
    timeoutMs: WORK_MS,
    run: async (input: DatabaseInput): Promise<DatabaseOutcome> => {
      const host = selectHost(hosts, input.record.id);
      if (host !== undefined) await run(host, unsealDatabase(sealer, input));
      return { ok: true };
    },
  });
  return define({
    ...databaseKind,
    version,
    effects: {
      make: hostEffect(WORK_MS, (host, database, signal) => host.make(database, signal)),
      start: hostEffect(WORK_MS, (host, database, signal) => host.start(database, signal)),
      watch: hostEffect(WATCH_MS, (host, database, signal) => host.watch(database, signal)),
      reload: hostEffect(WORK_MS, (host, database, signal) => host.reload(database, signal)),
      stop: stopEffect((host, database) => host.stop(database)),
      erase: stopEffect((host, database) => host.erase(database)),
    },
    migrations: [databaseFromVersion1],
    keep: KEEP,
  });
}

/** Migrates a database from version 1. An available one runs with its current settings. */
export const databaseFromVersion1: Migration = {
  from: 1,
  migrate: ({ snapshot, ...rows }) => {
    const value = snapshot.value === 'available' ? { available: 'settled' } : snapshot.value;
    return { snapshot: { ...snapshot, value }, ...rows };
  },
};

/** Opens the sealed password of a database record. */
export function unsealDatabase(
  sealer: Sealer,
  { record, sealedSecrets }: DatabaseInput,
): HostedDatabase {
  const { password } = JSON.parse(sealer.open(sealedSecrets, record.id)) as { password: string };
  return { record, password };
}

/** Seals the password of a new database. */
export function sealPassword(sealer: Sealer, id: string, password: string): string {
  return sealer.seal(JSON.stringify({ password }), id);
}

/** Selects the host by the id prefix, so each host only gets records of its own kind. */
function selectHost(hosts: DatabaseHosts, id: string): DatabaseHost | undefined {
  const host = kindOfId(id) === 'postgres' ? hosts.postgres : hosts.keyValue;
  return host as DatabaseHost | undefined;
}
