import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../../../domain/common/error.ts';
import { MINUTE_MS } from '../../../../domain/common/time.ts';
import type { DatabaseOutcome, HostedDatabase } from '../../../../domain/hosting/database-host.ts';
import { type PlanLimits, parsePostgresLimits } from '../../../../domain/hosting/plans.ts';
import type { FailureReason, Postgres } from '../../../../domain/hosting/records.ts';
import { sendSignal as send } from '../run/processes.ts';
import type { HostParts } from '../run/program-order.ts';
import { readPids } from '../run/run-files.ts';
import type { RunOrder } from '../run/runner.ts';
import { applyPostgresAccess } from './access.ts';
import {
  createFolders,
  generateSecrets,
  getServerPaths,
  isCreated,
  readSecrets,
  removeFolders,
  type ServerPaths,
  type ServerSecrets,
  writeSetting,
} from './files.ts';
import { formatUsers, getSeenPaths, wrapCommand } from './mount-view.ts';
import type { PostgresProgramRegistry, PostgresPrograms } from './programs.ts';
import { type AdminConnection, canConnect, setRoles } from './roles.ts';
import { ADMIN_ROLE, formatAccessRules, formatSettings, maxProcessBytes } from './settings.ts';

/** Timeout for creating a cluster, in milliseconds. */
const CREATE_MS = 10 * MINUTE_MS;
/** Timeout for a server's crash recovery, in milliseconds. */
const START_MS = 30 * MINUTE_MS;
/** Timeout for a graceful stop, in milliseconds. */
const STOP_MS = MINUTE_MS;
/** Interval between checks of a starting server, in milliseconds. */
const POLL_MS = 100;
/** Bytes at the end of a log that are searched for a reason. */
const LOG_TAIL_BYTES = 8_192;
/** Minimum resources for creating a cluster, which would otherwise take minutes. */
const CREATION_MIN: PlanLimits = { cpu: 1, memoryMib: 512 };

/** Dependencies of running servers. */
export interface ServerParts extends HostParts {
  readonly programs: PostgresProgramRegistry;
}

/** One server with its record, paths and limits. */
export interface PostgresServer {
  readonly database: HostedDatabase<Postgres>;
  readonly paths: ServerPaths;
  readonly limits: PlanLimits;
}

/** Returns the server of a record. */
export function toServer(
  { layout, sandbox }: ServerParts,
  database: HostedDatabase<Postgres>,
): PostgresServer {
  const { id, plan } = database.record;
  const place = getServerPaths(layout, sandbox.level, id);
  return { database, paths: place, limits: parsePostgresLimits(plan) };
}

/** Creates a server's cluster, or resumes its creation. */
export async function createCluster(
  parts: ServerParts,
  server: PostgresServer,
  signal: AbortSignal,
): Promise<DatabaseOutcome> {
  const { layout, runner } = parts;
  const { paths: place, limits, database } = server;
  const programs = await parts.programs.programs(database.record.version, signal);
  if (isCreated(place)) return { ok: true };
  const uid = getUid(parts, server);
  createFolders(place, uid);
  const { admin } = await generateSecrets(layout, place);
  writeSetting(place, 'passwd', formatUsers(uid ?? 0));
  writeSetting(place, 'admin-password', admin);
  const name = currentRunName(parts, server, 'make');
  const newCluster = join(place.data, 'cluster.new');
  if (runner.getState(name).state === 'none') rmSync(newCluster, { recursive: true, force: true });
  const { data, settings } = getSeenPaths(parts.sandbox, place);
  const args = [
    ...['--pgdata', `${data}/cluster.new`, '--username', ADMIN_ROLE, '--auth', 'scram-sha-256'],
    ...['--pwfile', `${settings}/admin-password`, '--encoding', 'UTF8', '--locale', 'C.UTF-8'],
    '--data-checksums',
  ];
  const most = {
    cpu: Math.max(limits.cpu, CREATION_MIN.cpu),
    memoryMib: Math.max(limits.memoryMib, CREATION_MIN.memoryMib),
  };
  const order = createOrder(parts, server, { name: 'initdb', args, programs, limits: most });
  const bounds = { limitMs: CREATE_MS, what: 'the creation of the database', signal };
  const reason = await runner.runToEnd(name, order, bounds);
  rmSync(join(place.settings, 'admin-password'), { force: true });
  if (reason !== null) return transientFailure(describeReason(reason), lastLogError(parts, name));
  renameSync(newCluster, join(place.data, 'cluster'));
  return { ok: true };
}

/**
 * Starts a server with the settings of its record, or reloads a running one. Waits until it accepts
 * connections and its roles are set.
 */
export async function startServer(
  parts: ServerParts,
  server: PostgresServer,
  signal: AbortSignal,
): Promise<DatabaseOutcome> {
  const { runner } = parts;
  const { paths: place, database, limits } = server;
  const programs = await parts.programs.programs(database.record.version, signal);
  const secrets = requireSecrets(place);
  createFolders(place, getUid(parts, server));
  const { data, settings } = writeSettings(parts, server);
  signal.throwIfAborted();
  const running = currentRunName(parts, server, 'run');
  if (runner.isRunning(running)) {
    const up = await waitUntilReady(parts, server, { name: running, secrets, signal });
    return up.ok ? reloadServer(parts, server, signal) : up;
  }
  await runner.kill(listRuns(parts, server, 'run').at(-1) ?? running);
  const name = currentRunName(parts, server, 'run');
  const args = ['-D', `${data}/cluster`, '-c', `config_file=${settings}/postgresql.conf`];
  const order = createOrder(parts, server, { name: 'postgres', args, programs, limits });
  await runner.start(name, { ...order, port: secrets.port });
  return waitUntilReady(parts, server, { name, secrets, signal });
}

/** Reloads the settings of a running server and applies them to existing connections. */
export async function reloadServer(
  parts: ServerParts,
  server: PostgresServer,
  signal: AbortSignal,
): Promise<DatabaseOutcome> {
  const { runner } = parts;
  const { paths: place, database } = server;
  const name = listRuns(parts, server, 'run').at(-1);
  if (name === undefined || !runner.isRunning(name)) {
    return transientFailure('it is not running', undefined);
  }
  writeSettings(parts, server);
  const { pid } = readPids(runner.paths(name));
  return applyPostgresAccess({
    admin: getAdminConnection(place),
    ranges: database.record.ipAllowList,
    pids: () => runner.pids(name),
    read: () => {
      if (pid !== undefined) send(pid, 'SIGHUP');
    },
    pause: (ms: number) => runner.pause(ms, signal),
    now: () => runner.now(),
    postmasterPid: pid,
  });
}

/** Writes the files that a server reads; returns their paths as seen by the server. */
function writeSettings(
  { sandbox }: ServerParts,
  { paths: place, database, limits }: PostgresServer,
) {
  const seen = getSeenPaths(sandbox, place);
  const paths = { settings: seen.settings, sockets: place.sockets };
  writeSetting(place, 'postgresql.conf', formatSettings(limits, requireSecrets(place).port, paths));
  writeSetting(place, 'pg_ident.conf', '');
  writeSetting(place, 'pg_hba.conf', formatAccessRules(database.record));
  return seen;
}

/** Waits until a server has stopped, and returns the reason. */
export async function watchServer(
  parts: ServerParts,
  server: PostgresServer,
  signal: AbortSignal,
): Promise<DatabaseOutcome> {
  const { runner } = parts;
  const name = listRuns(parts, server, 'run').at(-1);
  if (name === undefined) return transientFailure('it was never started', undefined);
  const end = await runner.waitForEnd(name, signal);
  const reason = runner.failureReason(name, end);
  return transientFailure(reason === null ? 'it exited' : describeReason(reason), undefined);
}

/** Stops a server gracefully: it disconnects clients and writes its data. */
export async function stopServer(parts: ServerParts, server: PostgresServer): Promise<void> {
  for (const name of listRuns(parts, server, 'make')) await parts.runner.stop(name, 0);
  for (const name of listRuns(parts, server, 'run')) {
    await parts.runner.stop(name, STOP_MS, 'SIGINT');
  }
}

/** Stops a server and removes all its files. */
export async function eraseServer(parts: ServerParts, server: PostgresServer): Promise<void> {
  await stopServer(parts, server);
  removeFolders(server.paths);
}

/** Returns how to connect to an existing server as administrator. */
export function getAdminConnection(paths: ServerPaths): AdminConnection {
  const { port, admin } = requireSecrets(paths);
  return { sockets: paths.sockets, port, password: admin };
}

/**
 * Returns the secrets of a server.
 *
 * @throws {AppError} `HOST_UNAVAILABLE` if it was not created yet.
 */
export function requireSecrets(place: ServerPaths): ServerSecrets {
  const secrets = readSecrets(place);
  if (secrets !== undefined) return secrets;
  const message = 'The database has not been created yet. Retry when it is available.';
  throw new AppError('HOST_UNAVAILABLE', { message });
}

async function waitUntilReady(
  parts: ServerParts,
  server: PostgresServer,
  o: { readonly name: string; readonly secrets: ServerSecrets; readonly signal: AbortSignal },
): Promise<DatabaseOutcome> {
  const { runner } = parts;
  const { paths: place, database } = server;
  const end = runner.now() + START_MS;
  while (!(await canConnect(getAdminConnection(place)))) {
    const now = runner.getState(o.name);
    if (now.state !== 'running') {
      const reason = runner.failureReason(o.name, now) ?? { earlyExit: true };
      return transientFailure(describeReason(reason), lastLogError(parts, o.name));
    }
    if (runner.now() >= end)
      return transientFailure('it did not accept connections in time', undefined);
    await runner.pause(POLL_MS, o.signal);
  }
  if (existsSync(place.prepared)) return { ok: true };
  await setRoles(getAdminConnection(place), {
    record: database.record,
    ownerPassword: database.password,
    readerPassword: o.secrets.reader,
  });
  writeFileSync(place.prepared, '', { mode: 0o600 });
  return { ok: true };
}

interface PostgresProgramOrder {
  readonly name: 'postgres' | 'initdb';
  readonly args: readonly string[];
  readonly programs: PostgresPrograms;
  readonly limits: PlanLimits;
}

function createOrder(
  parts: ServerParts,
  server: PostgresServer,
  o: PostgresProgramOrder,
): RunOrder {
  const { layout, sandbox, network } = parts;
  const { id, ownerId } = server.database.record;
  network.admit(id, { workspaceId: ownerId, isStore: true });
  const { name, args, programs, limits } = o;
  const argv = wrapCommand(sandbox, {
    name,
    args,
    programs,
    paths: server.paths,
    hidden: layout.root,
    uid: getUid(parts, server) ?? 0,
    processBytes: maxProcessBytes(limits),
  });
  const env = { PATH: sandbox.path, LC_ALL: 'C.UTF-8', TZ: 'UTC' };
  const type = name === 'initdb' ? 'build' : 'app';
  return { service: id, type, instance: id, limits, argv, env };
}

/** Returns the permanent user of a server; `undefined` if it runs as the daemon's user. */
function getUid(
  { layout, sandbox }: ServerParts,
  { database }: PostgresServer,
): number | undefined {
  return sandbox.level === 'user' ? layout.assignUid(database.record.id) : undefined;
}

/** Returns the runs of a server, oldest first; each start is a separate run. */
function listRuns({ runner }: ServerParts, server: PostgresServer, what: 'make' | 'run') {
  return runner.listNumbered(runPrefix(server, what));
}

/** Returns the run to continue, or the name of the next one. */
function currentRunName(parts: ServerParts, server: PostgresServer, what: 'make' | 'run'): string {
  const last = listRuns(parts, server, what).at(-1);
  const now = last === undefined ? undefined : parts.runner.getState(last);
  const isGood = what === 'make' && now?.state === 'ended' && now.code === 0;
  if (last !== undefined && (now?.state === 'running' || isGood)) return last;
  return parts.runner.nextName(runPrefix(server, what));
}

function runPrefix({ database }: PostgresServer, what: 'make' | 'run'): string {
  return `pg-${what}-${database.record.id}-`;
}

/** Returns the last error in a run's log, or else its last line. */
function lastLogError({ runner }: ServerParts, name: string): string | undefined {
  try {
    const text = readFileSync(runner.paths(name).log).subarray(-LOG_TAIL_BYTES).toString('utf8');
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    const errors = lines.filter((line) => /\b(FATAL|PANIC|ERROR|error)\b/.test(line));
    return (errors.at(-1) ?? lines.at(-1))?.trim();
  } catch {
    return undefined;
  }
}

function transientFailure(what: string, detail: string | undefined): DatabaseOutcome {
  const reason = detail === undefined ? what : `${what}: ${detail}`;
  return { ok: false, reason: reason.slice(0, 300), isFinal: false };
}

function describeReason(reason: FailureReason): string {
  if ('oomKilled' in reason) return 'it needed more memory than its plan provides';
  if ('nonZeroExit' in reason) return `it exited with code ${reason.nonZeroExit}`;
  if ('timedOut' in reason) return 'it took too long';
  if ('evicted' in reason) return String(reason.evicted);
  return 'it exited';
}
