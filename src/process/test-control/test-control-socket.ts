import { chmodSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { AppError, errorBody } from '../../domain/common/error.ts';
import { readLines } from '../stdio/lines.ts';

/** The name of the socket file in the data directory of a test server. */
export const TEST_CONTROL_SOCKET = 'test-control.sock';

/** Most connected clients. Further ones are rejected. */
const CLIENTS_MAX = 16;
/** Most queued lines per client. More disconnect it. */
const WAITING_MAX = 1_000;
/** Longest socket path that every operating system supports, in bytes. */
const PATH_BYTES_MAX = 100;

/**
 * Opens the test-control socket, to which only its owner can connect. Lines of all clients are
 * executed one after the other, in the order received.
 *
 * @param answer - Returns the reply to a line; never rejects.
 * @returns A function that closes the socket.
 * @throws {AppError} `CONFIG_INVALID` on systems without such sockets, or when the path is too
 * long.
 */
export async function openTestControlSocket(
  dataDir: string,
  answer: (line: string) => Promise<string>,
): Promise<() => Promise<void>> {
  const path = join(dataDir, TEST_CONTROL_SOCKET);
  checkSocketPath(path);
  const clients = new Set<Socket>();
  const serialize = pLimit(1);
  const server = createServer((socket) => {
    if (clients.size >= CLIENTS_MAX) return rejectClient(socket, `${CLIENTS_MAX} clients`);
    clients.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => clients.delete(socket));
    let waiting = 0;
    readLines(socket, (line) => {
      waiting += 1;
      if (waiting > WAITING_MAX) return rejectClient(socket, `${WAITING_MAX} queued lines`);
      void serialize(async () => {
        const answered = await answer(line);
        waiting -= 1;
        if (socket.writable) socket.write(`${answered}\n`);
      });
    });
  });
  // Bound in a private folder, then restricted to the owner, and only then moved into place.
  const folder = mkdtempSync(join(dataDir, 'tc-'));
  const bound = join(folder, 's');
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(bound, done);
  });
  chmodSync(bound, 0o600);
  renameSync(bound, path);
  rmSync(folder, { recursive: true, force: true });
  return async () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    for (const socket of clients) socket.destroy();
    await closed;
    rmSync(path, { force: true });
  };
}

function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (process.platform !== 'win32' && bytes <= PATH_BYTES_MAX) return;
  const message =
    process.platform === 'win32'
      ? '--test-control requires a system with sockets in the file system.'
      : '--test-control requires a shorter data directory: the path of its socket has ' +
        `${bytes} bytes; the limit is ${PATH_BYTES_MAX}.`;
  throw new AppError('CONFIG_INVALID', { message, data: { path } });
}

function rejectClient(socket: Socket, bound: string): void {
  const { error: code, message } = errorBody(
    new AppError('OVERLOADED', { message: `The test-control socket allows at most ${bound}.` }),
  );
  socket.on('error', () => socket.destroy());
  socket.pause();
  socket.end(`${JSON.stringify({ ok: false, error: { code, message } })}\n`, () =>
    socket.destroy(),
  );
}
