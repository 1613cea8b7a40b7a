import type { ChildProcess } from 'node:child_process';
import type { Server } from 'node:net';
import { z } from 'zod';
import { RouteTable } from '../domain/hosting/routes.ts';
import type { RequestRow } from '../domain/hosting/telemetry/request-row.ts';
import { spawn } from '../system/child.ts';

/** Timeout for another router to take over, in milliseconds. */
const START_MS = 30_000;
/** Interval of the reports to the successor, in milliseconds. */
const REPORT_MS = 50;

/** A router program: absolute paths of Node and of the command, and its build name. */
export const RouterProgram = z.object({
  node: z.string().startsWith('/').max(4_096),
  program: z.string().startsWith('/').max(4_096),
  build: z.string().min(1).max(128),
});
/** A router program to start. */
export type RouterProgram = z.infer<typeof RouterProgram>;

const SuccessorMessage = z.discriminatedUnion('do', [
  /** Requests the listening server. */
  z.object({ do: z.literal('ready') }),
  /** Announces that it listens and accepts commands. */
  z.object({ do: z.literal('taken') }),
  z.object({ do: z.literal('routes'), table: RouteTable }),
  z.object({ do: z.literal('stop') }),
]);
type SuccessorMessage = z.infer<typeof SuccessorMessage>;

/** Dependencies of a successor. */
export interface SuccessorParts {
  readonly program: RouterProgram;
  readonly folder: string;
  readonly host: string;
  readonly server: Server;
  /** Awaited before the successor gets the listening server. */
  readonly prepare: () => Promise<void>;
  /** Returns the unfinished requests of this router, by instance. */
  readonly underWay: () => Readonly<Record<string, number>>;
  readonly replace: (table: RouteTable) => Promise<void>;
  readonly stop: () => void;
}

/**
 * A router of another build that took over the port; receives reports of requests finished here.
 */
export class Successor {
  readonly #child: ChildProcess;
  readonly #parts: SuccessorParts;
  #rows: RequestRow[] = [];
  #lastReport = '';
  #timer: NodeJS.Timeout | undefined;

  private constructor(parts: SuccessorParts) {
    const { program, folder, host } = parts;
    const port = '0';
    const place = ['--folder', folder, '--host', host, '--port', port];
    const args = [program.program, 'router', ...place, '--build', program.build, '--take-over'];
    this.#parts = parts;
    this.#child = spawn(program.node, args, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { PATH: process.env['PATH'] ?? '' },
    });
  }

  /**
   * Starts the successor and hands over the listening server.
   *
   * @returns The reason if it has not taken over; its process is then killed.
   */
  static start(parts: SuccessorParts): Promise<Successor | string> {
    const successor = new Successor(parts);
    const child = successor.#child;
    return new Promise((done) => {
      const fail = (why: string): void => {
        clearTimeout(timer);
        child.kill('SIGKILL');
        done(why);
      };
      const timer = setTimeout(() => fail(`no listening router within ${START_MS} ms`), START_MS);
      child.on('error', (cause) => fail(cause.message));
      child.on('exit', (code, signal) => fail(`the new router exited with ${code ?? signal}`));
      child.on('message', (received) => {
        const message = SuccessorMessage.safeParse(received);
        if (!message.success) fail('the new router sent an unknown message');
        else if (message.data.do !== 'taken') successor.#handleMessage(message.data);
        else {
          clearTimeout(timer);
          successor.#timer = setInterval(() => successor.#report(), REPORT_MS);
          done(successor);
        }
      });
    });
  }

  /** Queues a row for the next report. */
  add(row: RequestRow): void {
    this.#rows.push(row);
  }

  /** Sends the last report and disconnects. */
  close(): void {
    clearInterval(this.#timer);
    this.#report();
    this.#child.removeAllListeners('exit');
    this.#child.unref();
    // Sent after all earlier messages.
    this.#child.send({ do: 'bye' }, () => this.#child.connected && this.#child.disconnect());
  }

  #handleMessage(word: SuccessorMessage): void {
    switch (word.do) {
      case 'ready':
        void this.#parts.prepare().then(() => {
          this.#child.send({ do: 'listen' }, this.#parts.server, () => undefined);
        });
        return;
      case 'taken':
        return;
      case 'routes':
        void this.#parts.replace(word.table).then(() => {
          this.#report();
          this.#send({ do: 'in_force', version: word.table.version });
        });
        return;
      case 'stop':
        this.#parts.stop();
    }
  }

  #report(): void {
    const underWay = this.#parts.underWay();
    const report = JSON.stringify(underWay);
    if (this.#rows.length === 0 && report === this.#lastReport) return;
    this.#send({ do: 'report', rows: this.#rows, underWay });
    this.#rows = [];
    this.#lastReport = report;
  }

  #send(word: object): void {
    // A message to an exited successor is dropped.
    if (this.#child.connected) this.#child.send(word, () => undefined);
  }
}
