import { AppError } from '../../../../domain/common/error.ts';
import type { PostgresHost } from '../../../../domain/hosting/database-host.ts';
import { POSTGRES_PLANS, parsePostgresLimits } from '../../../../domain/hosting/plans.ts';
import { createKeyedMutex } from '../keyed-mutex.ts';
import type { LocalHost } from '../local-host.ts';
import { openProgramRegistry, type ProgramParts } from './programs.ts';
import { queryReadOnly, type ReadBounds } from './query.ts';
import {
  createCluster,
  eraseServer,
  reloadServer,
  requireSecrets,
  type ServerParts,
  startServer,
  stopServer,
  toServer,
  watchServer,
} from './server.ts';
import { READER_ROLE } from './settings.ts';

const HOST = '127.0.0.1';

/** Dependencies of the Postgres host. */
export interface PostgresHostParts extends Pick<ProgramParts, 'env'>, ReadBounds {
  readonly host: Pick<LocalHost, 'parts' | 'assertFits'>;
  /** Folder of downloaded programs. */
  readonly programs: string;
}

/** Opens Postgres hosting on this machine: each server is a separate process with its own user. */
export function openPostgresHost({
  host,
  programs,
  env,
  ...bounds
}: PostgresHostParts): PostgresHost {
  const shelf = openProgramRegistry({ folder: programs, sandbox: host.parts.sandbox, env });
  const parts: ServerParts = { ...host.parts, programs: shelf };
  const runExclusively = createKeyedMutex();
  return {
    listFeatures: () => shelf.abilities(),
    admit: async ({ id, plan, version, ownerId }) => {
      const ability = (await shelf.abilities())[version];
      if (ability?.able !== true) {
        const message = ability?.why ?? `Postgres ${version} is not supported`;
        throw new AppError('NOT_CONFIGURED', { message, data: { received: version } });
      }
      const plans = Object.fromEntries(
        POSTGRES_PLANS.map((one) => [one, parsePostgresLimits(one)]),
      );
      const wanted = { ...parsePostgresLimits(plan), name: plan, count: 1, ownerId };
      await host.assertFits(id, wanted, plans);
    },
    make: (database, signal) =>
      runExclusively(database.record.id, () =>
        createCluster(parts, toServer(parts, database), signal),
      ),
    start: (database, signal) =>
      runExclusively(database.record.id, () =>
        startServer(parts, toServer(parts, database), signal),
      ),
    watch: (database, signal) => watchServer(parts, toServer(parts, database), signal),
    reload: (database, signal) =>
      runExclusively(database.record.id, () =>
        reloadServer(parts, toServer(parts, database), signal),
      ),
    stop: (database) =>
      runExclusively(database.record.id, () => stopServer(parts, toServer(parts, database))),
    erase: (database) =>
      runExclusively(database.record.id, () => eraseServer(parts, toServer(parts, database))),
    connectionAddresses: (database) => {
      const { record, password } = database;
      const { paths } = toServer(parts, database);
      const { port } = requireSecrets(paths);
      const user = `${record.databaseUser}:${encodeURIComponent(password)}`;
      const socket = `host=${encodeURIComponent(paths.sockets)}&port=${port}`;
      return {
        internal: `postgresql://${user}@localhost/${record.databaseName}?${socket}`,
        external: `postgresql://${user}@${HOST}:${port}/${record.databaseName}`,
      };
    },
    query: (database, sql, signal) => {
      const { port, reader } = requireSecrets(toServer(parts, database).paths);
      const target = { host: HOST, port, user: READER_ROLE, password: reader };
      return queryReadOnly(
        { ...target, database: database.record.databaseName },
        sql,
        signal,
        bounds,
      );
    },
  };
}
