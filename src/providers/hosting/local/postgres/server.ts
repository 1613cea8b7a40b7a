import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../../domain/common/time.ts';
import type { DatabaseEnd, HostedDatabase } from '../../../../domain/hosting/database-host.ts';
import type { FailureReason } from '../../../../domain/hosting/event-types.ts';
import { type PlanLimits, postgresLimits } from '../../../../domain/hosting/plans.ts';
import type { Postgres } from '../../../../domain/hosting/records.ts';
import type { RunOrder } from '../keeper.ts';
import { signal as send } from '../processes.ts';
import type { HostParts } from '../programs.ts';
import { readPids } from '../run-files.ts';
import { runToEnd } from '../run-to-end.ts';
import { takeAccess } from './access.ts';
import {
  drawSecrets,
  isMade,
  makeFolders,
  readSecrets,
  removeFolders,
  type ServerPlace,
  type ServerSecrets,
  serverPlace,
  writeSetting,
} from './files.ts';
import type { PostgresPrograms, ProgramShelf } from './programs.ts';
import { type AdminPlace, setRoles, takesConnections } from './roles.ts';
import { ADMIN_ROLE, accessText, processBytes, settingsText } from './settings.ts';
import { seenPlaces, usersText, viewed } from './view.ts';

/** Timeout for creating a cluster, in milliseconds. */
const MAKE_MS = 10 * MINUTE_MS;
/** Timeout for a server's crash recovery, in milliseconds. */
const START_MS = 30 * MINUTE_MS;
/** Timeout for a graceful stop, in milliseconds. */
const STOP_MS = MINUTE_MS;
/** Interval between checks of a starting server, in milliseconds. */
const LOOK_MS = 100;
/** Bytes at the end of a log that are searched for a reason. */
const TOLD_BYTES = 8_192;
/** Minimum resources for creating a cluster, which would otherwise take minutes. */
const MAKING: PlanLimits = { cpu: 1, memoryMib: 512 };

/** Dependencies of running servers. */
export interface ServerParts extends HostParts {
  readonly shelf: ProgramShelf;
}

/** One server with its record, paths and limits. */
export interface Server {
  readonly database: HostedDatabase<Postgres>;
  readonly place: ServerPlace;
  readonly limits: PlanLimits;
}

/** Returns the server of a record. */
export function serverOf(
  { layout, sandbox }: ServerParts,
  database: HostedDatabase<Postgres>,
): Server {
  const { id, plan } = database.record;
  const place = serverPlace(layout, sandbox.level, id);
  return { database, place, limits: postgresLimits(plan) };
}

/** Creates a server's cluster, or resumes its creation. */
export async function makeServer(
  parts: ServerParts,
  server: Server,
  signal: AbortSignal,
): Promise<DatabaseEnd> {
  const { layout, keeper } = parts;
  const { place, limits, database } = server;
  const programs = await parts.shelf.programs(database.record.version, signal);
  if (isMade(place)) return { ok: true };
  const uid = uidOf(parts, server);
  makeFolders(place, uid);
  const { admin } = await drawSecrets(layout, place);
  writeSetting(place, 'passwd', usersText(uid ?? 0));
  writeSetting(place, 'admin-password', admin);
  const name = runName(parts, server, 'make');
  const fresh = join(place.data, 'cluster.new');
  if (keeper.look(name).state === 'none') rmSync(fresh, { recursive: true, force: true });
  const { data, settings } = seenPlaces(parts.sandbox, place);
  const args = [
    ...['--pgdata', `${data}/cluster.new`, '--username', ADMIN_ROLE, '--auth', 'scram-sha-256'],
    ...['--pwfile', `${settings}/admin-password`, '--encoding', 'UTF8', '--locale', 'C.UTF-8'],
    '--data-checksums',
  ];
  const most = {
    cpu: Math.max(limits.cpu, MAKING.cpu),
    memoryMib: Math.max(limits.memoryMib, MAKING.memoryMib),
  };
  const order = orderOf(parts, server, { name: 'initdb', args, programs, limits: most });
  const bounds = { limitMs: MAKE_MS, what: 'the creation of the database', signal };
  const reason = await runToEnd(keeper, name, order, bounds);
  rmSync(join(place.settings, 'admin-password'), { force: true });
  if (reason !== null) return failed(wordsOf(reason), toldBy(parts, name));
  renameSync(fresh, join(place.data, 'cluster'));
  return { ok: true };
}

/**
 * Starts a server with the settings of its record, or reloads a running one. Waits until it accepts
 * connections and its roles are set.
 */
export async function startServer(
  parts: ServerParts,
  server: Server,
  signal: AbortSignal,
): Promise<DatabaseEnd> {
  const { keeper } = parts;
  const { place, database, limits } = server;
  const programs = await parts.shelf.programs(database.record.version, signal);
  const secrets = secretsOf(place);
  makeFolders(place, uidOf(parts, server));
  const { data, settings } = writeSettings(parts, server);
  signal.throwIfAborted();
  const running = runName(parts, server, 'run');
  if (keeper.look(running).state === 'running') {
    const up = await untilReady(parts, server, { name: running, secrets, signal });
    return up.ok ? reloadServer(parts, server, signal) : up;
  }
  await keeper.kill(latest(parts, server, 'run') ?? running);
  const name = runName(parts, server, 'run');
  const args = ['-D', `${data}/cluster`, '-c', `config_file=${settings}/postgresql.conf`];
  const order = orderOf(parts, server, { name: 'postgres', args, programs, limits });
  await keeper.begin(name, { ...order, port: secrets.port });
  return untilReady(parts, server, { name, secrets, signal });
}

/** Reloads the settings of a running server and applies them to existing connections. */
export async function reloadServer(
  parts: ServerParts,
  server: Server,
  signal: AbortSignal,
): Promise<DatabaseEnd> {
  const { keeper } = parts;
  const { place, database } = server;
  const name = latest(parts, server, 'run');
  if (name === undefined || keeper.look(name).state !== 'running') {
    return failed('it is not running', undefined);
  }
  writeSettings(parts, server);
  const { pid } = readPids(keeper.place(name));
  return takeAccess({
    ...{
      admin: adminOf(place),
      ranges: database.record.ipAllowList,
      pids: () => keeper.pids(name),
    },
    read: () => {
      if (pid !== undefined) send(pid, 'SIGHUP');
    },
    ...{ pause: (ms: number) => keeper.pause(ms, signal), now: () => keeper.now(), own: pid },
  });
}

/** Writes the files that a server reads; returns their paths as seen by the server. */
function writeSettings({ sandbox }: ServerParts, { place, database, limits }: Server) {
  const seen = seenPlaces(sandbox, place);
  const paths = { settings: seen.settings, sockets: place.sockets };
  writeSetting(place, 'postgresql.conf', settingsText(limits, secretsOf(place).port, paths));
  writeSetting(place, 'pg_ident.conf', '');
  writeSetting(place, 'pg_hba.conf', accessText(database.record));
  return seen;
}

/** Waits until a server has stopped, and returns the reason. */
export async function watchServer(
  parts: ServerParts,
  server: Server,
  signal: AbortSignal,
): Promise<DatabaseEnd> {
  const { keeper } = parts;
  const name = latest(parts, server, 'run');
  if (name === undefined) return failed('it was never started', undefined);
  const end = await keeper.ended(name, signal);
  const reason = keeper.reasonOf(name, end);
  return failed(reason === null ? 'it exited' : wordsOf(reason), undefined);
}

/** Stops a server gracefully: it disconnects clients and writes its data. */
export async function stopServer(parts: ServerParts, server: Server): Promise<void> {
  for (const name of runsOf(parts, server, 'make')) await parts.keeper.stop(name, 0);
  for (const name of runsOf(parts, server, 'run')) {
    await parts.keeper.stop(name, STOP_MS, 'SIGINT');
  }
}

/** Stops a server and removes all its files. */
export async function eraseServer(parts: ServerParts, server: Server): Promise<void> {
  await stopServer(parts, server);
  removeFolders(server.place);
}

/** Returns how to connect to an existing server as administrator. */
export function adminOf(place: ServerPlace): AdminPlace {
  const { port, admin } = secretsOf(place);
  return { sockets: place.sockets, port, password: admin };
}

/**
 * Returns the secrets of a server.
 *
 * @throws {AppError} `HOST_UNAVAILABLE` if it was not created yet.
 */
export function secretsOf(place: ServerPlace): ServerSecrets {
  const secrets = readSecrets(place);
  if (secrets !== undefined) return secrets;
  const message = 'The database has not been created yet. Retry when it is available.';
  throw new AppError('HOST_UNAVAILABLE', { message });
}

async function untilReady(
  parts: ServerParts,
  server: Server,
  o: { readonly name: string; readonly secrets: ServerSecrets; readonly signal: AbortSignal },
): Promise<DatabaseEnd> {
  const { keeper } = parts;
  const { place, database } = server;
  const end = keeper.now() + START_MS;
  while (!(await takesConnections(adminOf(place)))) {
    const now = keeper.look(o.name);
    if (now.state !== 'running') {
      const reason = keeper.reasonOf(o.name, now) ?? { earlyExit: true };
      return failed(wordsOf(reason), toldBy(parts, o.name));
    }
    if (keeper.now() >= end) return failed('it did not accept connections in time', undefined);
    await keeper.pause(LOOK_MS, o.signal);
  }
  if (existsSync(place.prepared)) return { ok: true };
  await setRoles(adminOf(place), {
    record: database.record,
    ownerPassword: database.password,
    readerPassword: o.secrets.reader,
  });
  writeFileSync(place.prepared, '', { mode: 0o600 });
  return { ok: true };
}

interface ProgramOrder {
  readonly name: 'postgres' | 'initdb';
  readonly args: readonly string[];
  readonly programs: PostgresPrograms;
  readonly limits: PlanLimits;
}

function orderOf(parts: ServerParts, server: Server, o: ProgramOrder): RunOrder {
  const { layout, sandbox, network } = parts;
  const { id, ownerId } = server.database.record;
  network.admit(id, { workspaceId: ownerId, isStore: true });
  const { name, args, programs, limits } = o;
  const argv = viewed(sandbox, {
    ...{ name, args, programs, place: server.place, hidden: layout.root },
    uid: uidOf(parts, server) ?? 0,
    processBytes: processBytes(limits),
  });
  const env = { PATH: sandbox.path, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const type = name === 'initdb' ? 'build' : 'app';
  return { service: id, type, instance: id, limits, argv, env };
}

/** Returns the permanent user of a server; `undefined` if it runs as the daemon's user. */
function uidOf({ layout, sandbox }: ServerParts, { database }: Server): number | undefined {
  return sandbox.level === 'user' ? layout.uidOf(database.record.id) : undefined;
}

/** Returns the runs of a server; each start is a separate run. */
function runsOf({ keeper }: ServerParts, { database }: Server, what: 'make' | 'run') {
  const prefix = `pg-${what}-${database.record.id}-`;
  return keeper.names().filter((name) => name.startsWith(prefix));
}

function latest(parts: ServerParts, server: Server, what: 'make' | 'run'): string | undefined {
  const number = (name: string): number => Number(name.split('-').at(-1));
  return [...runsOf(parts, server, what)].sort((one, other) => number(one) - number(other)).at(-1);
}

/** Returns the run to continue, or the name of the next one. */
function runName(parts: ServerParts, server: Server, what: 'make' | 'run'): string {
  const last = latest(parts, server, what);
  if (last === undefined) return `pg-${what}-${server.database.record.id}-1`;
  const now = parts.keeper.look(last);
  const isGood = what === 'make' && now.state === 'ended' && now.code === 0;
  if (now.state === 'running' || isGood) return last;
  return `pg-${what}-${server.database.record.id}-${Number(last.split('-').at(-1)) + 1}`;
}

/** Returns the last error in a run's log, or else its last line. */
function toldBy({ keeper }: ServerParts, name: string): string | undefined {
  try {
    const text = readFileSync(keeper.place(name).log).subarray(-TOLD_BYTES).toString('utf8');
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const grave = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error)\b/.test(line));
    return (grave.at(-1) ?? lines.at(-1))?.trim();
  } catch {
    return undefined;
  }
}

function failed(what: string, told: string | undefined): DatabaseEnd {
  const reason = told === undefined ? what : `${what}: ${told}`;
  return { ok: false, reason: reason.slice(0, 300), isFinal: false };
}

function wordsOf(reason: FailureReason): string {
  if ('oomKilled' in reason) return 'it needed more memory than its plan provides';
  if ('nonZeroExit' in reason) return `it exited with code ${reason.nonZeroExit}`;
  if ('timedOut' in reason) return 'it took too long';
  if ('evicted' in reason) return String(reason.evicted);
  return 'it exited';
}
