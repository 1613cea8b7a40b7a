import { Server } from 'node:net';
import { z } from 'zod';
import { AppError } from '../domain/common/error.ts';
import type { RouteTable } from '../domain/hosting/routes.ts';
import { RequestRow } from '../domain/hosting/telemetry/request-row.ts';

/** Timeout for receiving the listening server, in milliseconds. */
const LISTEN_MS = 30_000;
/** Timeout for activating a table in the predecessor, in milliseconds. */
const IN_FORCE_MS = 2_000;

const PredecessorMessage = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('report'),
    rows: z.array(RequestRow),
    underWay: z.record(z.string(), z.number()),
  }),
  z.object({ do: z.literal('in_force'), version: z.number() }),
]);

/** The previous router, which has handed over its port and finishes its pending requests. */
export class Predecessor {
  /** The listening server. */
  readonly server: Server;
  /** Unfinished requests of the predecessor, by instance. */
  underWay: Readonly<Record<string, number>> = {};
  #onRow: (row: RequestRow) => void = () => undefined;
  #onInForce: (version: number) => void = () => undefined;

  private constructor(server: Server) {
    this.server = server;
    process.on('message', (said) => this.#handleMessage(said));
    process.on('disconnect', () => {
      this.underWay = {};
      this.#onInForce(Number.POSITIVE_INFINITY);
    });
  }

  /**
   * Takes over from the process that started this one. The caller must accept connections
   * immediately after awaiting it.
   *
   * @throws {AppError} `CONFIG_INVALID` if no predecessor hands over.
   */
  static connect(): Promise<Predecessor> {
    return new Promise((done, fail) => {
      const say = process.send?.bind(process);
      const refuse = (why: string): void =>
        fail(new AppError('CONFIG_INVALID', { message: `--take-over: ${why}.` }));
      if (say === undefined) {
        refuse('only a running router can start a successor');
        return;
      }
      const timer = setTimeout(() => refuse('the previous router did not respond'), LISTEN_MS);
      process.once('message', (_, handle: unknown) => {
        clearTimeout(timer);
        if (handle instanceof Server) done(new Predecessor(handle));
        else refuse('the previous router did not hand over its server');
      });
      say({ do: 'ready' });
    });
  }

  /** Announces that this router listens and accepts commands; from then on rows arrive. */
  confirmTakeover(onRow: (row: RequestRow) => void): void {
    this.#onRow = onRow;
    send({ do: 'taken' });
  }

  /** Activates a table in the predecessor too, if it is still running. */
  replace(table: RouteTable): Promise<void> {
    if (!process.connected) return Promise.resolve();
    return new Promise((done) => {
      const timer = setTimeout(done, IN_FORCE_MS);
      this.#onInForce = (version) => {
        if (version < table.version) return;
        clearTimeout(timer);
        done();
      };
      send({ do: 'routes', table });
    });
  }

  /** Stops the predecessor gracefully. */
  stop(): void {
    send({ do: 'stop' });
    if (process.connected) process.disconnect();
  }

  #handleMessage(received: unknown): void {
    const message = PredecessorMessage.safeParse(received);
    if (!message.success) return;
    if (message.data.do === 'in_force') {
      this.#onInForce(message.data.version);
      return;
    }
    this.underWay = message.data.underWay;
    for (const row of message.data.rows) this.#onRow(row);
  }
}

function send(word: object): void {
  if (process.connected) process.send?.(word, undefined, undefined, () => undefined);
}
