import { AppError } from '../../../../domain/common/error.ts';
import type { PostgresHost } from '../../../../domain/hosting/database-host.ts';
import { POSTGRES_PLANS, postgresLimits } from '../../../../domain/hosting/plans.ts';
import { inTurnById } from '../in-turn.ts';
import type { LocalHost } from '../local-host.ts';
import { openPrograms, type ProgramParts } from './programs.ts';
import { type ReadBounds, readOnly } from './query.ts';
import {
  eraseServer,
  makeServer,
  reloadServer,
  type ServerParts,
  secretsOf,
  serverOf,
  startServer,
  stopServer,
  watchServer,
} from './server.ts';
import { READER_ROLE } from './settings.ts';

const HOST = '127.0.0.1';

/** Dependencies of the Postgres host. */
export interface PostgresHostParts extends Pick<ProgramParts, 'env'>, ReadBounds {
  readonly host: Pick<LocalHost, 'parts' | 'refuseUnfit'>;
  /** Folder of downloaded programs. */
  readonly programs: string;
}

/** Opens Postgres hosting on this machine: each server is a separate process with its own user. */
export function openPostgres({ host, programs, env, ...bounds }: PostgresHostParts): PostgresHost {
  const shelf = openPrograms({ folder: programs, sandbox: host.parts.sandbox, env });
  const parts: ServerParts = { ...host.parts, shelf };
  const inTurn = inTurnById();
  return {
    abilities: () => shelf.abilities(),
    admit: async ({ id, plan, version, ownerId }) => {
      const ability = (await shelf.abilities())[version];
      if (ability?.able !== true) {
        const message = ability?.why ?? `Postgres ${version} is not supported`;
        throw new AppError('NOT_CONFIGURED', { message, data: { received: version } });
      }
      const plans = Object.fromEntries(POSTGRES_PLANS.map((one) => [one, postgresLimits(one)]));
      const wanted = { ...postgresLimits(plan), name: plan, count: 1, ownerId };
      await host.refuseUnfit(id, wanted, plans);
    },
    make: (database, signal) =>
      inTurn(database.record.id, () => makeServer(parts, serverOf(parts, database), signal)),
    start: (database, signal) =>
      inTurn(database.record.id, () => startServer(parts, serverOf(parts, database), signal)),
    watch: (database, signal) => watchServer(parts, serverOf(parts, database), signal),
    reload: (database, signal) =>
      inTurn(database.record.id, () => reloadServer(parts, serverOf(parts, database), signal)),
    stop: (database) =>
      inTurn(database.record.id, () => stopServer(parts, serverOf(parts, database))),
    erase: (database) =>
      inTurn(database.record.id, () => eraseServer(parts, serverOf(parts, database))),
    connection: (database) => {
      const { record, password } = database;
      const { place } = serverOf(parts, database);
      const { port } = secretsOf(place);
      const user = `${record.databaseUser}:${encodeURIComponent(password)}`;
      const socket = `host=${encodeURIComponent(place.sockets)}&port=${port}`;
      return {
        internal: `postgresql://${user}@localhost/${record.databaseName}?${socket}`,
        external: `postgresql://${user}@${HOST}:${port}/${record.databaseName}`,
      };
    },
    query: (database, sql, signal) => {
      const { port, reader } = secretsOf(serverOf(parts, database).place);
      const target = { host: HOST, port, user: READER_ROLE, password: reader };
      return readOnly({ ...target, database: database.record.databaseName }, sql, signal, bounds);
    },
  };
}
