import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** Address of a server. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = ['127.0.0.1', '::1'];
/** Hosts at which a local client reaches the server as `localhost`. */
const LOCAL: readonly string[] = [...LOOPBACK, 'localhost', '0.0.0.0', '::'];
/** The loopback address that a server at this host does not listen on. */
const OTHER_LOOPBACK: Readonly<Record<string, string>> = {
  '127.0.0.1': '::1',
  '0.0.0.0': '::1',
  '::1': '127.0.0.1',
};
/** Timeout for a local listener to accept a connection, in milliseconds. */
const ANSWER_MS = 500;
/** Maximum ports tried before giving up. */
const TRIED_MAX = 100;
const PORT_MAX = 65_535;
const LISTEN_STATE = '0A';

/**
 * Returns whether another socket listens at an address. For a local server both loopback addresses
 * count, because `localhost` can be either. Binding alone does not detect this on every system.
 */
export async function isPortInUse({ host, port }: Endpoint): Promise<boolean> {
  if ((await tryBind({ host, port })) === 'in use') return true;
  if (!LOCAL.includes(host)) return false;
  const hasListeners = await Promise.all(LOOPBACK.map((address) => hasListener(address, port)));
  return hasListeners.includes(true);
}

/** Returns whether another process listens at the other loopback address of a running server. */
export async function hasOtherLoopbackListener({ host, port }: Endpoint): Promise<boolean> {
  const other = OTHER_LOOPBACK[host];
  return other !== undefined && (await hasListener(other, port));
}

/**
 * Returns whether a socket listens at a local address. Prefers the kernel's list, because a busy
 * server may reset a connection or accept it too late.
 */
async function hasListener(address: string, port: number): Promise<boolean> {
  const hosts = [address, address.includes(':') ? '::' : '0.0.0.0'];
  const isListed = listListeners([]).some((one) => one.port === port && hosts.includes(one.host));
  return isListed || (await acceptsConnections(address, port));
}

/** Returns the next free port; `undefined` if none of the next hundred is free. */
export async function nextFreePort({ host, port }: Endpoint): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(PORT_MAX, port + TRIED_MAX); next += 1) {
    if (
      (await tryBind({ host, port: next })) === 'free' &&
      !(await isPortInUse({ host, port: next }))
    ) {
      return next;
    }
  }
  return undefined;
}

/**
 * Returns the process that listens on a port, if the system shows it to this process. Linux only.
 */
export function findListener(port: number): number | undefined {
  const inodes = findListenerInodes(port);
  if (inodes.size === 0) return undefined;
  return listNames('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => listSockets(pid).some((inode) => inodes.has(inode)));
}

/** A listening socket of this machine. */
export interface Listener extends Endpoint {
  /** Whether it belongs to one of the given processes. */
  readonly isOwn: boolean;
}

/** Lists all listening sockets of this machine and whether they belong to `pids`. Linux only. */
export function listListeners(pids: readonly number[]): readonly Listener[] {
  const own = new Set(pids.flatMap(listSockets));
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readListeningRows(file).map(({ address, port, inode }) => ({
      host: decodeAddress(address),
      port,
      isOwn: own.has(inode),
    })),
  );
}

/** Returns whether one of the processes listens on a port. */
export function isListening(pids: readonly number[], port: number): boolean {
  return listListeners(pids).some((listener) => listener.isOwn && listener.port === port);
}

/** Tries to bind an address and releases it. */
function tryBind({ host, port }: Endpoint): Promise<'free' | 'in use' | 'refused'> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      done(code === 'EADDRINUSE' ? 'in use' : 'refused');
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => done('free')));
  });
}

/** Returns whether a local connection is accepted. */
export function acceptsConnections(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port });
    const finish = (answer: boolean): void => {
      socket.destroy();
      done(answer);
    };
    // A busy event loop sees the timeout before it sees the connection.
    socket.setTimeout(ANSWER_MS, () => setImmediate(() => finish(false)));
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}

/** Returns the inodes of sockets that listen on a port. */
function findListenerInodes(port: number): ReadonlySet<string> {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(readListeningRows);
  return new Set(rows.filter((row) => row.port === port).map(({ inode }) => inode));
}

function readListeningRows(file: string) {
  const [, ...rows] = readLines(file);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTEN_STATE)
    .map(([, local = '', , , , , , , , inode = '']) => {
      const [address = '', port = ''] = local.split(':');
      return { address, port: Number.parseInt(port, 16), inode };
    });
}

/** Decodes an address in the kernel's format: 4-byte words in little-endian order. */
function decodeAddress(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => [...Buffer.from(word, 'hex')].reverse());
  if (bytes.length === 4) return bytes.join('.');
  const isMapped = bytes.slice(0, 12).join() === '0,0,0,0,0,0,0,0,0,0,255,255';
  if (isMapped) return bytes.slice(12).join('.');
  const groups = bytes.flatMap((byte, at) =>
    at % 2 === 0 ? [((byte << 8) | (bytes[at + 1] ?? 0)).toString(16)] : [],
  );
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

function listSockets(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  return listNames(folder).flatMap((fd) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readLink(`${folder}/${fd}`)) ?? [];
    return inode === undefined ? [] : [inode];
  });
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readLines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
