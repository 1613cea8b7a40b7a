import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { EngineError } from '../../runtime/engine/error.ts';

/** File in a store's folder that its owner holds locked. It contains the owner's process id. */
export const OWNER_FILE = 'owner';

/**
 * Flag of `open` that locks the file as well (UV_FS_O_EXLOCK of libuv), where the system has it.
 */
const LOCK_FLAG: Readonly<Record<string, number>> = { darwin: 0x20, win32: 0x10000000 };
/** Exit code of flock(1) if another process holds the lock. */
const FLOCK_BUSY = 1;
const BUSY_CODES: readonly unknown[] = ['EAGAIN', 'EWOULDBLOCK', 'EBUSY'];
const LOCK_MS_MAX = 10_000;
/** How long a reader that looks for an owner can hold the lock, in milliseconds. */
const READER_MS_MAX = 50;

/** What the owner's file contains until a new store is complete, after the process id. */
const CREATING = ' creating';

/** Ownership of a store's folder. The kernel ends it with the process, however that ends. */
export interface FolderLock {
  /** Whether the last owner ended before the store that it created was complete. */
  readonly isUnfinished: boolean;
  /** Records that the store is complete. */
  finish(): void;
  /** Ends the ownership. Safe to repeat. */
  release(): void;
}

/**
 * Takes the ownership of a store's folder, against other processes, threads and containers. Writes
 * the file of the lock only. Where the system cannot lock a file, a process warning with the code
 * `STOA_LOCK_LIMITED` says what the store is not protected against.
 *
 * @param o.isNew - Whether the folder has no store yet.
 * @throws {EngineError} `STORE_BUSY` with the path and, if known, the owner's process id.
 */
export function lockFolder(path: string, { isNew }: { readonly isNew: boolean }): FolderLock {
  const { descriptor, socket } = lockPatiently(path);
  const isUnfinished = isNew || readFileSync(descriptor, 'utf8').endsWith(CREATING);
  writeOwner(descriptor, isUnfinished ? `${process.pid}${CREATING}` : String(process.pid));
  let isFinished = !isUnfinished;
  let isReleased = false;
  return {
    isUnfinished,
    finish: () => {
      if (!isFinished) writeOwner(descriptor, String(process.pid));
      isFinished = true;
    },
    release: () => {
      // The number of a closed descriptor can be that of another file.
      if (isReleased) return;
      isReleased = true;
      writeOwner(descriptor, isFinished ? '' : CREATING);
      closeSync(descriptor);
      socket?.close();
    },
  };
}

function lockPatiently(path: string): LockedFile {
  const flags = constants.O_RDWR | constants.O_CREAT;
  try {
    return lockFile(path, flags);
  } catch (thrown) {
    // An owner has written its process id; a reader has not, and is gone soon.
    const isOwner = readOwner(path) !== undefined;
    if (isOwner || !(thrown instanceof EngineError)) throw thrown;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, READER_MS_MAX);
    return lockFile(path, flags);
  }
}

/** Whether the last owner of a store has not closed it: it has ended, or still owns it. */
export function isLeftOpen(path: string): boolean {
  try {
    return statSync(join(path, OWNER_FILE)).size > 0;
  } catch {
    return false;
  }
}

/**
 * Keeps every process from becoming the owner of a store, until the returned function is called.
 * Writes nothing.
 *
 * @throws {EngineError} `STORE_BUSY` if the store has an owner.
 */
export function keepOwnersOut(path: string): () => void {
  // A program that locks stores has never opened this one.
  if (!existsSync(join(path, OWNER_FILE))) return () => undefined;
  const { descriptor, socket } = lockFile(path, constants.O_RDONLY);
  return () => {
    closeSync(descriptor);
    socket?.close();
  };
}

/** Returns a socket name that the kernel frees with its process, on systems that have them. */
export function kernelName(of: string): string | undefined {
  const name = createHash('sha256').update(of).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return `\0stoa-${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\stoa-${name}`;
  return undefined;
}

interface LockedFile {
  readonly descriptor: number;
  /** Holds the lock in place of the file. */
  readonly socket?: { close(): void } | undefined;
}

function lockFile(path: string, flags: number): LockedFile {
  const lock = LOCK_FLAG[process.platform];
  try {
    const descriptor = openSync(join(path, OWNER_FILE), flags | constants.O_NONBLOCK | (lock ?? 0));
    return lock === undefined ? lockOpened(path, descriptor) : { descriptor };
  } catch (cause) {
    if (BUSY_CODES.includes((cause as NodeJS.ErrnoException).code)) throw busyError(path);
    throw cause;
  }
}

/**
 * Node cannot lock a file on Linux. flock(1) locks the open file that it inherits, and the lock
 * stays when flock ends. Where it is missing, a socket name locks the folder against processes of
 * the same network namespace.
 */
function lockOpened(path: string, descriptor: number): LockedFile {
  // The program of BusyBox knows the short options only.
  const { status } = spawnSync('flock', ['-x', '-n', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    timeout: LOCK_MS_MAX,
  });
  if (status === 0) return { descriptor };
  const isBusy = status === FLOCK_BUSY;
  if (!isBusy && kernelName('') === undefined) {
    warn('a second process');
    return { descriptor };
  }
  const socket = isBusy ? undefined : bindFolder(path);
  if (socket !== undefined) {
    warn('a process in another container');
    return { descriptor, socket };
  }
  closeSync(descriptor);
  throw busyError(path);
}

const WARNING = 'STOA_LOCK_LIMITED';
let isWarned = false;

function warn(against: string): void {
  if (isWarned) return;
  isWarned = true;
  process.emitWarning(
    `This system cannot lock a store: it has no program flock, or its file system has no locks. ` +
      `Stores are not protected against ${against} that opens them. Install flock (util-linux).`,
    { code: WARNING },
  );
}

/** Binds a name before it returns: Node binds local names at once and reports errors later. */
function bindFolder(path: string): { close(): void } | undefined {
  const { dev, ino } = statSync(path, { bigint: true });
  const server = createServer((socket) => socket.destroy());
  server.on('error', () => undefined);
  server.listen({ path: kernelName(`folder ${dev} ${ino}`), exclusive: true });
  server.unref();
  return server.listening ? server : undefined;
}

/** The content is for people: a disk that is full does not stop a start here. */
function writeOwner(descriptor: number, text: string): void {
  try {
    ftruncateSync(descriptor);
    writeSync(descriptor, text, 0);
  } catch {
    // The lock itself holds.
  }
}

function busyError(path: string): EngineError {
  const pid = readOwner(path);
  const who = pid === undefined ? 'Another process' : `Process ${pid}`;
  const subject = pid === process.pid ? 'This process already' : who;
  const message = `${subject} has the store ${path} open. Close it, or open the store read-only.`;
  const data = pid === undefined ? { path } : { path, pid };
  return new EngineError('STORE_BUSY', message, { data });
}

/** Returns the process id that the owner has written, unless that process has ended. */
function readOwner(path: string): number | undefined {
  const pid = readNumber(join(path, OWNER_FILE));
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined;
  }
}

function readNumber(file: string): number {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}
