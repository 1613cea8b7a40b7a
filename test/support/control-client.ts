import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A client of a test server's control socket. */
export interface ControlClient {
  /** Sends one command; throws what the server refuses, its code in front. */
  tell<Result = Record<string, unknown>>(command: {
    readonly do: string;
    readonly [key: string]: unknown;
  }): Promise<Result>;
  /** Sends a line as it is, and gives the line that answers it; `undefined` when it is cut off. */
  raw(line: string): Promise<string | undefined>;
  close(): void;
}

/** Connects to the control socket of the server that runs in a data directory. */
export async function controlClient(dataDir: string): Promise<ControlClient> {
  const socket = connect(join(dataDir, 'test-control.sock'));
  await once(socket, 'connect');
  const waiting: ((line: string | undefined) => void)[] = [];
  createInterface({ input: socket }).on('line', (line) => waiting.shift()?.(line));
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    for (const each of waiting.splice(0)) each(undefined);
  });
  const raw = (line: string): Promise<string | undefined> => {
    if (socket.destroyed) return Promise.resolve(undefined);
    const answered = new Promise<string | undefined>((done) => waiting.push(done));
    socket.write(`${line}\n`);
    return answered;
  };
  return {
    raw,
    tell: async (command) => {
      const line = await raw(JSON.stringify(command));
      if (line === undefined) throw new Error('the server has gone');
      const answer = JSON.parse(line);
      if (answer.ok === true) return answer.result;
      throw new Error(`${answer.error.code}: ${answer.error.message}`);
    },
    close: () => socket.destroy(),
  };
}
