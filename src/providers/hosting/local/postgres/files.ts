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
import { writeWhole } from '../../../sandbox/whole.ts';
import type { Layout } from '../layout.ts';

/** Ports of servers: below those that the kernel gives to callers, behind those of Key Value. */
const PORTS = { first: 30_000, count: 2_500 } as const;
/** Longest path of a socket, in bytes. */
const SOCKET_PATH_MAX = 100;
const PASSWORD_BYTES = 24;
/** Sockets of servers that have users of their own are outside of the hidden data directory. */
const SOCKETS = '/run/stoa';

/** What is drawn once for a server, beside the password of its owner. */
export interface ServerSecrets {
  readonly port: number;
  /** Passwords of the administrator, which only we are, and of the role that reads. */
  readonly admin: string;
  readonly reader: string;
}

/** Where everything of one server is. */
export interface ServerPlace {
  /** Only we may look into it. */
  readonly folder: string;
  /** The server's own folder: `cluster` is what it keeps. */
  readonly data: string;
  /** What it reads and cannot write: settings, who may connect, the list of users. */
  readonly settings: string;
  /** Folder of the socket for programs of this machine. */
  readonly sockets: string;
  /** There once roles and rights were set. */
  readonly prepared: string;
}

/** Where the parts of a server are. */
export function serverPlace(layout: Layout, level: SandboxLevel, id: string): ServerPlace {
  const folder = layout.service(id);
  const own = createHash('sha256').update(layout.root).digest('hex').slice(0, 12);
  return {
    folder,
    data: join(folder, 'data'),
    settings: join(folder, 'settings'),
    sockets: level === 'user' ? join(SOCKETS, own, id) : join(folder, 'sockets'),
    prepared: join(folder, 'prepared'),
  };
}

/**
 * Makes the folders of a server, each for the one who may write there. Safe to repeat.
 *
 * @throws {AppError} `NOT_CONFIGURED` where the data directory is too deep for a socket.
 */
export function makeFolders(
  { folder, data, settings, sockets }: ServerPlace,
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

/** Removes everything of a server. */
export function removeFolders({ folder, sockets }: ServerPlace): void {
  rmSync(sockets, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
  try {
    // The last one takes the folder of all sockets with it.
    rmdirSync(dirname(sockets));
  } catch {
    return;
  }
}

/** What was drawn for a server; `undefined` before it was made. */
export function readSecrets({ folder }: ServerPlace): ServerSecrets | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8')) as ServerSecrets;
  } catch {
    return undefined;
  }
}

/** Draws port and passwords of a server, once. The port is its own for its whole life. */
export async function drawSecrets(layout: Layout, place: ServerPlace): Promise<ServerSecrets> {
  const known = readSecrets(place);
  if (known !== undefined) return known;
  const taken = new Set(portsOf(layout));
  const from = randomBytes(2).readUInt16BE() % PORTS.count;
  for (let step = 0; step < PORTS.count; step += 1) {
    const port = PORTS.first + ((from + step) % PORTS.count);
    if (taken.has(port) || !(await isFree(port))) continue;
    const draw = (): string => randomBytes(PASSWORD_BYTES).toString('base64url');
    const secrets = { port, admin: draw(), reader: draw() };
    writeWhole(join(place.folder, 'secrets.json'), JSON.stringify(secrets));
    return secrets;
  }
  throw new AppError('HOST_CAPACITY', { message: 'No port is left for another database.' });
}

/** Writes a file that the server may read, whole or not at all. */
export function writeSetting({ settings }: ServerPlace, name: string, text: string): void {
  const file = join(settings, name);
  writeWhole(file, text);
  chmodSync(file, 0o644);
}

/** Whether the server has what it keeps. */
export function isMade({ data }: ServerPlace): boolean {
  return existsSync(join(data, 'cluster', 'PG_VERSION'));
}

/** Ports that others keep, also while they do not run. */
function portsOf(layout: Layout): readonly number[] {
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

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
