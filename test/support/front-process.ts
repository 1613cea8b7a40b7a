import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { FrontOptions } from '../../src/transport/front/front.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { built } from './built.ts';
import { openWire, type WireSession } from './wire-session.ts';

const PROGRAM = fileURLToPath(new URL('./programs/front-server.mjs', import.meta.url));

/** What a front in a process of its own holds. */
export interface Holding {
  readonly rssBytes: number;
  /** Objects and buffers, after a collection. */
  readonly heapBytes: number;
  readonly sessions: number;
  /** Requests without an answer, and open streams. */
  readonly open: number;
}

/** A front in a process of its own, so that its memory can be watched. */
export interface FrontProcess {
  readonly port: number;
  readonly url: string;
  holding(): Promise<Holding>;
  stop(): Promise<void>;
}

/** Starts a front with `tool0` to `tool39`: `{steps, chars}` says how much they tell and answer. */
export async function startFrontProcess(
  engine: HttpEngine,
  options: Partial<Pick<FrontOptions, 'limits' | 'connections'>> = {},
): Promise<FrontProcess> {
  const args = ['--expose-gc', PROGRAM, await built(), engine, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  const { port } = await next();
  return {
    port,
    url: `http://127.0.0.1:${port}/v1/mcp`,
    holding: () => {
      child.stdin.write('\n');
      return next();
    },
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/** A client that keeps asking, and remembers how it was served. */
export class Honest {
  answered = 0;
  failed = 0;
  private readonly asking: Promise<void>;
  private isOver = false;

  private constructor(session: WireSession) {
    this.asking = this.ask(session);
  }

  static async begin({ url }: FrontProcess): Promise<Honest> {
    return new Honest(await openWire(url));
  }

  /** Ends the asking. */
  async end(): Promise<{ readonly answered: number; readonly failed: number }> {
    this.isOver = true;
    await this.asking;
    return { answered: this.answered, failed: this.failed };
  }

  private async ask(session: WireSession): Promise<void> {
    while (!this.isOver) {
      const isFine = await session.ask('ping').then(
        ({ status }) => status === 200,
        () => false,
      );
      if (isFine) this.answered += 1;
      else this.failed += 1;
      await pause(10);
    }
  }
}

/** Opens a socket that says something and hears nothing until it is told to. */
export function deafSocket(port: number, text: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.pause();
  if (text !== '') socket.write(text, 'latin1');
  return socket;
}

/** Lets time pass. */
export function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms);
  });
}

/** Waits for a claim, with a bound. */
export async function eventually(claim: () => Promise<boolean> | boolean, ms = 60_000) {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    if (await claim()) return true;
    await pause(50);
  }
  return false;
}
