import { Server } from 'node:net';
import { z } from 'zod';
import { AppError } from '../domain/common/error.ts';
import type { RouteTable } from '../domain/hosting/routes.ts';
import { RequestRow } from '../domain/hosting/telemetry/request-row.ts';

/** How long what listens may take to come, in milliseconds. */
const LISTEN_MS = 30_000;
/** How long a table may take to be in force there, in milliseconds. */
const IN_FORCE_MS = 2_000;

/** What a predecessor says. */
const Word = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('report'),
    rows: z.array(RequestRow),
    underWay: z.record(z.string(), z.number()),
  }),
  z.object({ do: z.literal('in_force'), version: z.number() }),
]);

/** The router of before, which has given away its port and finishes what it began. */
export class Predecessor {
  /** What listens. */
  readonly server: Server;
  /** Requests that are not finished there, by instance. */
  underWay: Readonly<Record<string, number>> = {};
  #onRow: (row: RequestRow) => void = () => undefined;
  #onInForce: (version: number) => void = () => undefined;

  private constructor(server: Server) {
    this.server = server;
    process.on('message', (said) => this.#hear(said));
    process.on('disconnect', () => {
      this.underWay = {};
      this.#onInForce(Number.POSITIVE_INFINITY);
    });
  }

  /**
   * Takes over from the process that started this one. Who awaits it must listen for connections
   * at once.
   *
   * @throws {AppError} `CONFIG_INVALID` where nobody hands anything over.
   */
  static meet(): Promise<Predecessor> {
    return new Promise((done, fail) => {
      const say = process.send?.bind(process);
      const refuse = (why: string): void =>
        fail(new AppError('CONFIG_INVALID', { message: `--take-over: ${why}.` }));
      if (say === undefined) {
        refuse('only a router starts a router that takes over');
        return;
      }
      const timer = setTimeout(() => refuse('the router of before did not answer'), LISTEN_MS);
      process.once('message', (_, handle: unknown) => {
        clearTimeout(timer);
        if (handle instanceof Server) done(new Predecessor(handle));
        else refuse('the router of before did not hand over what listens');
      });
      say({ do: 'ready' });
    });
  }

  /** Says that this one listens and takes orders; from then on rows come. */
  taken(onRow: (row: RequestRow) => void): void {
    this.#onRow = onRow;
    say({ do: 'taken' });
  }

  /** Brings a table into force there too, as far as there is still somebody. */
  replace(table: RouteTable): Promise<void> {
    if (!process.connected) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, IN_FORCE_MS);
      this.#onInForce = (version) => {
        if (version < table.version) return;
        clearTimeout(timer);
        done();
      };
      say({ do: 'routes', table });
    });
  }

  /** Ends it in order. */
  stop(): void {
    say({ do: 'stop' });
    if (process.connected) process.disconnect();
  }

  #hear(said: unknown): void {
    const word = Word.safeParse(said);
    if (!word.success) return;
    if (word.data.do === 'in_force') {
      this.#onInForce(word.data.version);
      return;
    }
    this.underWay = word.data.underWay;
    for (const row of word.data.rows) this.#onRow(row);
  }
}

function say(word: object): void {
  if (process.connected) process.send?.(word, undefined, undefined, () => undefined);
}
