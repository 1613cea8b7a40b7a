import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { built } from './built.ts';

const PROGRAM = fileURLToPath(new URL('./programs/store-starter.mjs', import.meta.url));

/** A process that opens a store when it is told to. */
export interface StoreStarter {
  readonly pid: number;
  /** Sends a line and returns the answer. */
  ask(line: string): Promise<string>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/** @param wrap - A program and its arguments that start Node, such as `unshare`. */
export async function startStarter(
  path: string,
  wrap: readonly string[] = [],
): Promise<StoreStarter> {
  const program = [process.execPath, PROGRAM, await built(), path];
  const child: ChildProcess = spawn('env', ['--', ...wrap, ...program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout, pid } = child;
  if (stdin === null || stdout === null || pid === undefined)
    throw new TypeError('It has no pipe.');
  const ended = new Promise((done) => child.once('exit', done));
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<string> => (await lines.next()).value ?? 'ended';
  await read();
  return {
    pid,
    ask: (line) => {
      stdin.write(`${line}\n`);
      return read();
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
