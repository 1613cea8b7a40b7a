import { mkdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { kernelName } from '../../store/common/folder-lock.ts';

/** Most clients that wait while the owner starts. Further ones are rejected. */
const CLIENTS_WAITING_MAX = 64;

/** How long clients may take to leave when the owner releases the lock, in milliseconds. */
const LEAVE_MS = 1_000;

/** Ownership of a data directory. It lasts until this process exits, for whatever reason. */
export interface DataLock {
  /** Address of the local socket that comes with the ownership. */
  readonly address: string;
  /** Registers the listener for connections of local clients. */
  onClient(listener: (socket: Socket) => void): void;
  /** Releases the lock. Deletes a directory that was created but never used. */
  release(): Promise<void>;
}

/**
 * Locks a data directory, and creates it if missing. The kernel holds the lock as the binding of a
 * socket name. The name derives from the directory's real path and is released when the process
 * exits.
 *
 * @throws {AppError} `DATA_DIR_BUSY` when another process owns it.
 */
export async function lockDataDir(dataDir: string): Promise<DataLock> {
  const isNew = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined;
  const address = localAddress(dataDir);
  const clients = new ClientQueue();
  const server = createServer((socket) => clients.add(socket));
  try {
    await listen(server, address);
  } catch (cause) {
    if (!isInUse(cause)) throw cause;
    if (isKernelName(address) || (await isListening(address))) throw dataDirBusyError(dataDir);
    rmSync(address, { force: true });
    await listen(server, address).catch((again: unknown) => {
      throw isInUse(again) ? dataDirBusyError(dataDir) : again;
    });
  }
  return {
    address,
    onClient: (listener) => clients.setListener(listener),
    release: async () => {
      const closed = new Promise((done) => server.close(done));
      // A waiting client would keep its socket, and thereby this process, open.
      const closeTimer = setTimeout(() => clients.close(), LEAVE_MS);
      await closed;
      clearTimeout(closeTimer);
      if (isNew) removeEmpty(dataDir);
    },
  };
}

/** Removes the directory after a start that failed before using it. */
function removeEmpty(dataDir: string): void {
  try {
    rmdirSync(dataDir);
  } catch {
    // The directory is not empty.
  }
}

/** Queues clients that connect while the owner is still starting. */
class ClientQueue {
  readonly #waiting: Socket[] = [];
  readonly #all = new Set<Socket>();
  #listener: ((socket: Socket) => void) | undefined;

  add(socket: Socket): void {
    this.#all.add(socket);
    socket.once('close', () => this.#all.delete(socket));
    socket.on('error', () => socket.destroy());
    if (this.#listener !== undefined) this.#listener(socket);
    else if (this.#waiting.length < CLIENTS_WAITING_MAX) this.#waiting.push(socket);
    else socket.destroy();
  }

  setListener(listener: (socket: Socket) => void): void {
    this.#listener = listener;
    for (const socket of this.#waiting.splice(0)) listener(socket);
  }

  /** Closes every socket after its pending writes. */
  close(): void {
    for (const socket of this.#all) socket.destroySoon();
  }
}

/**
 * Returns the socket name of a data directory: an abstract name on Linux, a pipe on Windows, else a
 * file in the directory. The kernel frees the first two.
 */
export function localAddress(dataDir: string): string {
  const path = realpathSync(dataDir);
  return kernelName(path) ?? join(path, 'stoa.sock');
}

function isKernelName(address: string): boolean {
  return address.startsWith('\0') || address.startsWith('\\\\');
}

/** Binds a local socket name. Rejects if it is in use. */
export function listen(server: Server, address: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(address, () => {
      server.off('error', fail);
      done();
    });
  });
}

/** Returns whether a process listens on a local socket. */
export function isListening(address: string): Promise<boolean> {
  return new Promise((done) => {
    const probe = connect(address, () => {
      probe.destroy();
      done(true);
    });
    probe.on('error', () => done(false));
  });
}

/** Returns whether an error means that a name or a port is in use. */
export function isInUse(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

function dataDirBusyError(dataDir: string): AppError {
  return new AppError('DATA_DIR_BUSY', {
    message: 'Another Stoa server is using this data directory.',
    data: { data_dir: dataDir },
  });
}
