import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { AppError } from '../../../../domain/common/error.ts';
import type { SandboxLevel } from '../../../sandbox/find-program.ts';
import { writeAtomically } from '../../../sandbox/write-atomically.ts';
import type { Layout } from '../layout.ts';

/** Port range of servers: below the kernel's ephemeral ports, above those of Key Value. */
const PORTS = { first: 30_000, count: 2_500 } as const;
/** Maximum length of a socket path, in bytes. */
const SOCKET_PATH_MAX = 100;
const PASSWORD_BYTES = 24;
/** Sockets of servers with separate users are outside the hidden data directory. */
const SOCKETS_FOLDER = '/run/stoa';

/** Values generated once for a server, in addition to its owner's password. */
export interface ServerSecrets {
  readonly port: number;
  /** Passwords of the administrator, which only the daemon is, and of the read-only role. */
  readonly admin: string;
  readonly reader: string;
}

/** Paths of a server. */
export interface ServerPaths {
  /** Accessible only to the daemon. */
  readonly folder: string;
  /** The server's own folder, which contains `cluster`. */
  readonly data: string;
  /** Files that the server can read but not write: settings, access rules, user list. */
  readonly settings: string;
  /** Folder of the socket for local programs. */
  readonly sockets: string;
  /** Marker file that exists once roles and privileges were set. */
  readonly prepared: string;
}

/** Returns the paths of a server. */
export function getServerPaths(layout: Layout, level: SandboxLevel, id: string): ServerPaths {
  const folder = layout.service(id);
  const own = createHash('sha256').update(layout.root).digest('hex').slice(0, 12);
  return {
    folder,
    data: join(folder, 'data'),
    settings: join(folder, 'settings'),
    sockets: level === 'user' ? join(SOCKETS_FOLDER, own, id) : join(folder, 'sockets'),
    prepared: join(folder, 'prepared'),
  };
}

/**
 * Creates the folders of a server with their owners. Idempotent.
 *
 * @throws {AppError} `NOT_CONFIGURED` if the data directory's path is too long for a socket.
 */
export function createFolders(
  { folder, data, settings, sockets }: ServerPaths,
  uid: number | undefined,
): void {
  if (Buffer.byteLength(join(sockets, '.s.PGSQL.65535')) > SOCKET_PATH_MAX) {
    const message = 'The path of the data directory is too long for a socket in it.';
    throw new AppError('NOT_CONFIGURED', { message });
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(data, { recursive: true, mode: 0o700 });
  for (const open of [settings, sockets]) {
    mkdirSync(open, { recursive: true, mode: 0o755 });
    chmodSync(open, 0o755);
  }
  if (uid === undefined) return;
  chownSync(data, uid, uid);
  chownSync(sockets, uid, uid);
}

/** Removes all folders of a server. */
export function removeFolders({ folder, sockets }: ServerPaths): void {
  rmSync(sockets, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  try {
    // The last server removes the folder of all sockets.
    rmdirSync(dirname(sockets));
  } catch {
    return;
  }
}

/** Returns the secrets of a server; `undefined` before it was created. */
export function readSecrets({ folder }: ServerPaths): ServerSecrets | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as ServerSecrets;
  } catch {
    return undefined;
  }
}

/** Generates port and passwords of a server once. The port is reserved for its whole life. */
export async function generateSecrets(layout: Layout, paths: ServerPaths): Promise<ServerSecrets> {
  const known = readSecrets(paths);
  if (known !== undefined) return known;
  const reserved = new Set(listReservedPorts(layout));
  const from = randomBytes(2).readUInt16BE() % PORTS.count;
  for (let step = 0; step < PORTS.count; step += 1) {
    const port = PORTS.first + ((from + step) % PORTS.count);
    if (reserved.has(port) || !(await isPortFree(port))) continue;
    const createPassword = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
    const secrets = { port, admin: createPassword(), reader: createPassword() };
    writeAtomically(join(paths.folder, 'secrets.json'), JSON.stringify(secrets));
    return secrets;
  }
  throw new AppError('HOST_CAPACITY', { message: 'No port is free for another database.' });
}

/** Writes a file that the server can read, atomically. */
export function writeSetting({ settings }: ServerPaths, name: string, text: string): void {
  const file = join(settings, name);
  writeAtomically(file, text);
  chmodSync(file, 0o644);
}

/** Returns whether the server's cluster exists. */
export function isCreated({ data }: ServerPaths): boolean {
  return existsSync(join(data, 'cluster', 'PG_VERSION'));
}

/** Returns the ports reserved by all servers, including stopped ones. */
function listReservedPorts(layout: Layout): readonly number[] {
  const services = join(layout.service('x'), '..');
  return readdirSync(services).flatMap((id) => {
    try {
      const text = readFileSync(join(services, id, 'secrets.json'), 'utf8');
      return [(JSON.parse(text) as ServerSecrets).port];
    } catch {
      return [];
    }
  });
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
