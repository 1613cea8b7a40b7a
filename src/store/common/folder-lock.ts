import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EngineError } from '../../runtime/engine/error.ts';

/** Link in a store's folder to the socket of its owner. */
export const OWNER_FILE = 'owner';
/** Name of an owner's socket, with its process id. */
const SOCKET_NAME = /^owner-(\d+)-[0-9a-f]+\.sock$/;
/** Longest path of a socket that every supported system binds, in bytes. */
const PATH_BYTES_MAX = 100;
/** Longest wait for the kernel's answer, in milliseconds; then the folder counts as owned. */
const PROBE_MS_MAX = 10_000;
const ANSWER = { none: 0, isOwned: 1, isStale: 2 } as const;

/** Connects to a socket in a thread, because its starter must not yield to the event loop. */
const PROBE = `
const { connect } = require('node:net');
const { address, answer, isOwned, isStale } = require('node:worker_threads').workerData;
const give = (found) => {
  Atomics.store(answer, 0, found);
  Atomics.notify(answer, 0);
};
const socket = connect(address, () => give(isOwned));
socket.on('error', ({ code }) => {
  give(code === 'ECONNREFUSED' || code === 'ENOENT' ? isStale : isOwned);
});
`;

/** Ownership of a store's folder. The kernel ends it with the process, however that ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Rejects a folder that a living process, or another thread of this one, owns.
 *
 * @returns The link that a dead owner left, for `takeFolder`.
 * @throws {EngineError} `STORE_BUSY`
 */
export function rejectOwned(path: string): string | undefined {
  const target = readOwner(path);
  if (target === undefined) return undefined;
  if (probeSocket(path, target) !== ANSWER.isStale) throw busyError(path, target);
  return target;
}

/**
 * Takes the ownership of a folder: a listening socket inside it, which other network namespaces
 * reach as well. Call it while no other process can call it for the same folder.
 *
 * @param stale - What `rejectOwned` returned.
 * @throws {EngineError} `STORE_BUSY` if another process has taken it since.
 */
export function takeFolder(path: string, stale: string | undefined): FolderLock {
  const found = readOwner(path);
  if (found !== undefined && found !== stale) throw busyError(path, found);
  const name = `owner-${process.pid}-${randomBytes(6).toString('hex')}.sock`;
  const server = process.platform === 'win32' ? undefined : listenIn(path, name);
  // A file system without sockets, or Windows, whose pipes the kernel frees as well.
  if (server === undefined) return takeKernelName(path);
  removeSockets(path, name);
  symlinkSync(name, join(path, OWNER_FILE));
  return {
    release: () => {
      server.close();
      if (readOwner(path) === name) rmSync(join(path, OWNER_FILE), { force: true });
      rmSync(join(path, name), { force: true });
    },
  };
}

/** Returns a socket name that the kernel frees with its process, on systems that have them. */
export function kernelName(of: string): string | undefined {
  const name = createHash('sha256').update(of).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return `\0stoa-${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\stoa-${name}`;
  return undefined;
}

/**
 * Calls a function with a short name of a folder, because the path of a socket is limited.
 *
 * @param hasProc - Whether the system names open folders in /proc.
 */
export function withShortName<Result>(
  path: string,
  use: (short: string) => Result,
  hasProc = process.platform === 'linux',
): Result {
  if (Buffer.byteLength(join(path, 'x'.repeat(40))) <= PATH_BYTES_MAX) return use(path);
  if (hasProc) {
    const folder = openSync(path, 'r');
    try {
      return use(`/proc/self/fd/${folder}`);
    } finally {
      closeSync(folder);
    }
  }
  const temporary = mkdtempSync(join(tmpdir(), 's-'));
  try {
    symlinkSync(path, join(temporary, 's'));
    return use(join(temporary, 's'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Returns the name of the owner's socket, alive or not. */
function readOwner(path: string): string | undefined {
  try {
    return readlinkSync(join(path, OWNER_FILE));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    // A copy can turn the link into a file, which no process listens on.
    if (code === 'EINVAL') return OWNER_FILE;
    throw cause;
  }
}

function probeSocket(path: string, target: string): number {
  const answer = new Int32Array(new SharedArrayBuffer(4));
  return withShortName(path, (short) => {
    const { isOwned, isStale } = ANSWER;
    const worker = new Worker(PROBE, {
      eval: true,
      execArgv: [],
      workerData: { address: join(short, target), answer, isOwned, isStale },
    });
    worker.unref();
    Atomics.wait(answer, 0, ANSWER.none, PROBE_MS_MAX);
    worker.terminate().catch(() => undefined);
    return Atomics.load(answer, 0);
  });
}

/** Returns a listening server, or `undefined` if the folder cannot hold a socket. */
function listenIn(path: string, name: string): Server | undefined {
  return withShortName(path, (short) => listenNow(join(short, name)));
}

/** Binds a name before it returns: Node binds local names at once and reports errors later. */
function listenNow(address: string): Server | undefined {
  const server = createServer((socket) => socket.destroy());
  server.on('error', () => undefined);
  // Another user's process must be able to ask whether the owner lives.
  server.listen({ path: address, exclusive: true, writableAll: true });
  server.unref();
  return server.listening ? server : undefined;
}

function takeKernelName(path: string): FolderLock {
  const { dev, ino } = statSync(path, { bigint: true });
  const name = kernelName(`folder ${dev} ${ino}`);
  // The epoch of the store separates two owners where the system offers nothing.
  if (name === undefined) return { release: () => undefined };
  const server = listenNow(name);
  if (server === undefined) throw busyError(path, '');
  return { release: () => server.close() };
}

/** Removes what dead owners left. */
function removeSockets(path: string, except: string): void {
  for (const name of readdirSync(path)) {
    const isLeft = name === OWNER_FILE || (SOCKET_NAME.test(name) && name !== except);
    if (isLeft) rmSync(join(path, name), { force: true });
  }
}

function busyError(path: string, target: string): EngineError {
  const pid = Number(SOCKET_NAME.exec(target)?.[1] ?? 0);
  const who = pid === 0 ? 'Another process' : `Process ${pid}`;
  const message = `${who} has the store ${path} open. Close it, or open the store read-only.`;
  return new EngineError('STORE_BUSY', message, { data: pid === 0 ? { path } : { path, pid } });
}
