import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';

/** Where a server listens, or is to listen. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = ['127.0.0.1', '::1'];
/** Hosts at which a client on this machine reaches the server by the name `localhost`. */
const LOCAL: readonly string[] = [...LOOPBACK, 'localhost', '0.0.0.0', '::'];
/** The loopback address that a server at a host does not listen on itself. */
const OTHER_LOOPBACK: Readonly<Record<string, string>> = {
  '127.0.0.1': '::1',
  '0.0.0.0': '::1',
  '::1': '127.0.0.1',
};
/** How long a listener of this machine may take to accept, in milliseconds. */
const ANSWER_MS = 500;
/** Ports that are tried, from one on, before none is named. */
const TRIED_MAX = 100;
const PORT_MAX = 65_535;
const LISTENING = '0A';

/**
 * Whether another socket listens where a server is to listen. For a server of this machine both
 * loopback addresses count: `localhost` may be either, and its clients would reach one server or
 * the other. The kernel alone says so of 127.0.0.1 and 0.0.0.0, and not on every system.
 */
export async function isHeld({ host, port }: Place): Promise<boolean> {
  if ((await bind({ host, port })) === 'in use') return true;
  if (!LOCAL.includes(host)) return false;
  const taken = await Promise.all(LOOPBACK.map((address) => hasListener(address, port)));
  return taken.includes(true);
}

/** Whether somebody else listens at the other loopback address, while a server already listens. */
export async function isShared({ host, port }: Place): Promise<boolean> {
  const other = OTHER_LOOPBACK[host];
  return other !== undefined && (await hasListener(other, port));
}

/**
 * Tells whether a socket listens at an address of this machine. Reads the kernel's list where there
 * is one: a server that is full or busy may reset a connection, or accept it too late.
 */
async function hasListener(address: string, port: number): Promise<boolean> {
  const hosts = [address, address.includes(':') ? '::' : '0.0.0.0'];
  const isListed = listListeners([]).some((one) => one.port === port && hosts.includes(one.host));
  return isListed || (await isAnswered(address, port));
}

/** The next port that nobody listens on; `undefined` where none of the next hundred is free. */
export async function nextFreePort({ host, port }: Place): Promise<number | undefined> {
  for (let next = port + 1; next <= Math.min(PORT_MAX, port + TRIED_MAX); next += 1) {
    if ((await bind({ host, port: next })) === 'free' && !(await isHeld({ host, port: next }))) {
      return next;
    }
  }
  return undefined;
}

/** The process that listens on a port, where the system shows it to this one. Linux only. */
export function findListener(port: number): number | undefined {
  const inodes = listeners(port);
  if (inodes.size === 0) return undefined;
  return namesIn('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => listSockets(pid).some((inode) => inodes.has(inode)));
}

/** A socket of this machine that listens. */
export interface Listener extends Place {
  /** Whether one of the processes asked about has it. */
  readonly isOwn: boolean;
}

/** All sockets of this machine that listen, and which of them are of the processes. Linux only. */
export function listListeners(pids: readonly number[]): readonly Listener[] {
  const own = new Set(pids.flatMap(listSockets));
  return ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    listeningRows(file).map(({ address, port, inode }) => ({
      host: decodeAddress(address),
      port,
      isOwn: own.has(inode),
    })),
  );
}

/** Whether one of the processes listens on a port. */
export function ownsPort(pids: readonly number[], port: number): boolean {
  return listListeners(pids).some((listener) => listener.isOwn && listener.port === port);
}

/** Tries a place without staying there. */
function bind({ host, port }: Place): Promise<'free' | 'in use' | 'refused'> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      done(code === 'EADDRINUSE' ? 'in use' : 'refused');
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => done('free')));
  });
}

/** Whether a connection to a place of this machine is accepted. */
export function isAnswered(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host, port });
    const end = (answer: boolean): void => {
      socket.destroy();
      done(answer);
    };
    // A busy event loop hears of the time before it hears of the connection.
    socket.setTimeout(ANSWER_MS, () => setImmediate(() => end(false)));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** Sockets that listen on a port, by the kernel's number. */
function listeners(port: number): ReadonlySet<string> {
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap(listeningRows);
  return new Set(rows.filter((row) => row.port === port).map(({ inode }) => inode));
}

function listeningRows(file: string) {
  const [, ...rows] = lines(file);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state]) => state === LISTENING)
    .map(([, local = '', , , , , , , , inode = '']) => {
      const [address = '', port = ''] = local.split(':');
      return { address, port: Number.parseInt(port, 16), inode };
    });
}

/** An address as the kernel shows it, in words of four bytes whose last byte comes first. */
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
  return namesIn(folder).flatMap((fd) => {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readLink(`${folder}/${fd}`)) ?? [];
    return inode === undefined ? [] : [inode];
  });
}

function namesIn(folder: string): readonly string[] {
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

function lines(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n');
  } catch {
    return [];
  }
}
