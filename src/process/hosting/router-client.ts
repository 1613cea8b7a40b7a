import { connect, type Socket } from 'node:net';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { readLines } from '../stdio/lines.ts';

/** Longest wait for one reply, in milliseconds. */
const ANSWER_MS = 10 * SECOND_MS;

const Answer = z.object({
  ok: z.boolean(),
  why: z.string().optional(),
  pid: z.number().optional(),
  build: z.string().optional(),
  port: z.number().optional(),
  version: z.number().optional(),
  dropped: z.number().optional(),
  underWay: z.record(z.string(), z.number()).optional(),
});
/** A router's reply to a command. */
export type RouterAnswer = z.infer<typeof Answer>;

interface PendingReply {
  readonly done: (answer: RouterAnswer) => void;
  readonly fail: (error: AppError) => void;
}

/** A connection to the control socket of a router. Replies arrive in the order of the commands. */
export class RouterClient {
  readonly #socket: Socket;
  readonly #waiting: PendingReply[] = [];
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.closed = new Promise((done) => {
      socket.once('close', () => {
        for (const { fail } of this.#waiting.splice(0)) fail(routerUnavailable());
        done();
      });
    });
    readLines(socket, (line) => this.#handleReply(line));
  }

  /** Connects. Resolves with `undefined` when no router listens there. */
  static connect(path: string): Promise<RouterClient | undefined> {
    return new Promise((done) => {
      const socket = connect(path);
      socket.on('error', () => done(undefined));
      socket.once('connect', () => done(new RouterClient(socket)));
    });
  }

  /**
   * Sends a command.
   *
   * @param limitMs - Longest wait for its reply.
   * @throws {AppError} `HOST_UNAVAILABLE` when no reply arrives.
   */
  send(order: object, limitMs = ANSWER_MS): Promise<RouterAnswer> {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => this.#socket.destroy(), limitMs);
      this.#waiting.push({
        done: (answer) => {
          clearTimeout(timer);
          done(answer);
        },
        fail: (error) => {
          clearTimeout(timer);
          fail(error);
        },
      });
      if (this.#socket.destroyed) this.#waiting.pop()?.fail(routerUnavailable());
      else this.#socket.write(`${JSON.stringify(order)}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #handleReply(line: string): void {
    const answer = parseAnswer(line);
    if (answer === undefined) this.#socket.destroy();
    else this.#waiting.shift()?.done(answer);
  }
}

function parseAnswer(line: string): RouterAnswer | undefined {
  try {
    return Answer.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

function routerUnavailable(): AppError {
  return new AppError('HOST_UNAVAILABLE', { message: 'The service router does not respond.' });
}
