import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, ERRORS, type ErrorCode, toAppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { ToolServer } from '../../domain/tool/tool.ts';
import { readLines } from './lines.ts';
import { GREETED } from './local-server.ts';

/** The options of a stdio client. */
export interface StdioClientOptions {
  readonly server: ToolServer;
  /** Tool groups to request. All groups when absent. */
  readonly toolsets?: readonly string[];
  /** Request only tools that change nothing. */
  readonly readOnly?: boolean;
  /** The passport that the daemon must use. Any when absent. */
  readonly passportId?: string;
  readonly input: Readable;
  readonly output: Writable;
  /**
   * Finds the daemon, and starts one if none answers.
   *
   * @throws the reason why no daemon can be reached.
   */
  reach(): Promise<ReachedDaemon>;
}

/** A daemon's address, and its failure if it was started for this client. */
export interface ReachedDaemon {
  /** Address of the daemon's local socket. */
  readonly address: string;
  readonly token: string;
  /** Resolves if the daemon exits before it is ready. Later exits do not count. */
  readonly failure?: Promise<AppError>;
  /** Stops listening for the failure. */
  readonly letGo?: () => void;
}

/** Time limit for a greeting from a daemon that may still be starting, in milliseconds. */
const GREETING_TIMEOUT_MS = 60_000;
/** How long a daemon that closed its socket may take to report why and exit, in milliseconds. */
const LAST_WORDS_MS = 3_000;
/** How long to wait for a client's first request, to report the failure to it, in milliseconds. */
const FIRST_REQUEST_MS = 2_000;
/** Attempts to reach a daemon before the client gives up. */
const REACH_ATTEMPTS = 5;
/** JSON-RPC code of a server error. */
const SERVER_ERROR = -32_000;
/** Time limit for open requests after the input has ended, in milliseconds. */
const OWED_MS_MAX = 10 * MINUTE_MS;
const CANCELLED = 'notifications/cancelled';
/** Open until the client leaves, so it never delays the end. */
const SUBSCRIPTION = 'subscriptions/listen';

/**
 * Carries MCP lines between an MCP client's pipes and the daemon. If the daemon crashes, it reaches
 * the next one, repeats the handshake (and drops the reply), and resends unanswered requests. Calls
 * are safe to repeat because a payment settles once. If no daemon can be reached, it answers every
 * open request with the reason before it throws.
 *
 * @returns When the MCP client has closed its input and every request is answered, or when its
 * output is closed.
 * @throws {AppError} the reason why no daemon can be reached.
 */
export async function runStdioClient(options: StdioClientOptions): Promise<void> {
  const session = new Session();
  let socket: Socket | undefined;
  let ended = false;
  const take = (line: string): void => {
    session.sent(line);
    socket?.write(`${line}\n`);
  };
  readLines(options.input, take, true);
  const leaving = new AbortController();
  const leave = (): void => {
    session.forget();
    ended = true;
    leaving.abort();
    socket?.end();
  };
  let late: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (!session.isOwed) leave();
    if (ended) return;
    ended = true;
    late = setTimeout(leave, OWED_MS_MAX);
  };
  for (const event of ['close', 'end']) options.input.once(event, end);
  const gone = new Promise<void>((done) => {
    options.input.once('end', done).once('close', done);
    options.output.once('error', done).once('close', done);
  });
  for (const event of ['close', 'error']) options.output.once(event, leave);
  // A client that has left needs no error.
  options.output.on('error', () => undefined);
  const isOver = (): boolean => ended && !session.isOwed;
  while (!isOver()) {
    const reached = await reachDaemon(options, leaving.signal).catch((thrown: unknown) =>
      refuseAll({ options, session, gone }, toAppError(thrown)),
    );
    if (reached === undefined) break;
    const [link, first] = reached;
    const closed = new Promise<void>((done) => link.once('close', () => done()));
    for (const line of session.resume()) link.write(`${line}\n`);
    if (first.length > 0) link.unshift(first);
    readLines(link, (line) => {
      const refusal = ended ? refuseRequest(line) : undefined;
      if (refusal !== undefined) link.write(`${refusal}\n`);
      else if (session.received(line)) options.output.write(`${line}\n`);
      if (isOver()) leave();
    });
    link.resume();
    socket = link;
    if (isOver()) link.end();
    await closed;
    socket = undefined;
  }
  clearTimeout(late);
}

/** Answers every open request, and one that arrives soon, with the reason of the failure. */
async function refuseAll({ options, session, gone }: ToRefuse, error: AppError): Promise<never> {
  await Promise.race([session.asked, gone, sleep(FIRST_REQUEST_MS, undefined, { ref: false })]);
  for (const line of session.refuse(error)) options.output.write(`${line}\n`);
  // When the input closes, no request must delay the exit.
  session.forget();
  throw error;
}

interface ToRefuse {
  readonly options: StdioClientOptions;
  readonly session: Session;
  /** Resolves when the client has closed its input or its output. */
  readonly gone: Promise<void>;
}

/** Rejects a daemon's request to the client, because nobody can answer it. */
function refuseRequest(line: string): string | undefined {
  const { id, method } = parse(line) ?? {};
  if (id === undefined || method === undefined) return undefined;
  const error = { code: -32_000, message: 'The client has closed its input.' };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

async function reachDaemon(
  options: StdioClientOptions,
  leaving: AbortSignal,
): Promise<[Socket, Buffer] | undefined> {
  let last: unknown;
  for (let attempt = 0; attempt < REACH_ATTEMPTS; attempt += 1) {
    const { address, token, failure, letGo } = await options.reach();
    const { server, toolsets, readOnly, passportId } = options;
    const hello = { token, server, toolsets, readOnly, passportId };
    try {
      return await greet({ address, hello, leaving, failure });
    } catch (cause) {
      if (leaving.aborted) return undefined;
      if (cause instanceof Refused) throw cause.error;
      last = cause;
      await sleep(100 * 2 ** attempt);
    } finally {
      letGo?.();
    }
  }
  throw new AppError('INTERNAL', { message: 'Cannot reach a daemon.', cause: last });
}

interface Greeting {
  readonly address: string;
  /** The first line. JSON omits members without a value. */
  readonly hello: object;
  readonly leaving: AbortSignal;
  readonly failure: Promise<AppError> | undefined;
}

/** The daemon rejected this client, so a retry would not help. */
class Refused {
  readonly error: AppError;

  constructor(error: AppError) {
    this.error = error;
  }

  /** Parses the reply that a daemon sends instead of a greeting. */
  static read(line: string): Refused {
    const { error, message } = parse(line) ?? {};
    const isKnown = typeof error === 'string' && Object.hasOwn(ERRORS, error);
    const code = isKnown ? (error as ErrorCode) : 'UNAUTHORIZED';
    const told = typeof message === 'string' ? { message } : { data: { file: 'token' } };
    return new Refused(new AppError(code, told));
  }
}

function greet({ address, hello, leaving, failure }: Greeting): Promise<[Socket, Buffer]> {
  return new Promise((done, fail) => {
    const link = connect(address, () => link.write(`${JSON.stringify(hello)}\n`));
    // Ends the attempt when the daemon does not answer in time or the client leaves.
    link.setTimeout(GREETING_TIMEOUT_MS, () => link.destroy());
    const leave = (): void => void link.destroy();
    leaving.addEventListener('abort', leave, { once: true });
    let seen = Buffer.alloc(0);
    let patience: NodeJS.Timeout | undefined;
    void failure?.then((error) => {
      clearTimeout(patience);
      fail(new Refused(error));
    });
    // A daemon that crashes before the greeting reports why, or the next attempt finds another one.
    const lose = (): void => {
      const patienceMs = failure === undefined || leaving.aborted ? 0 : LAST_WORDS_MS;
      const away = new AppError('INTERNAL', { message: 'The daemon closed the connection.' });
      patience = setTimeout(() => fail(away), patienceMs);
    };
    const onData = (chunk: Buffer): void => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf(10);
      if (end < 0) return;
      link.pause();
      link.off('data', onData);
      link.off('close', lose);
      link.setTimeout(0);
      leaving.removeEventListener('abort', leave);
      const first = seen.subarray(0, end).toString('utf8');
      if (first !== GREETED) fail(Refused.read(first));
      else done([link, seen.subarray(end + 1)]);
    };
    link.once('close', lose);
    link.on('data', onData);
    link.on('error', () => link.destroy());
  });
}

/** Tracks what must be resent to a new daemon. */
class Session {
  /** Resolves with the first request. */
  readonly asked: Promise<void>;
  #ask: () => void = () => undefined;
  #handshake: string[] = [];
  #initializeId: unknown;
  #initialized = false;
  #swallow = false;
  readonly #open = new Map<unknown, { readonly line: string; readonly isOwed: boolean }>();

  /** Whether the MCP client waits for an answer. */
  get isOwed(): boolean {
    return [...this.#open.values()].some(({ isOwed }) => isOwed);
  }

  /** Drops all open requests. */
  forget(): void {
    this.#open.clear();
  }

  constructor() {
    this.asked = new Promise((done) => {
      this.#ask = done;
    });
  }

  /** Records a line from the MCP client. */
  sent(line: string): void {
    for (const message of readMessages(line)) this.#sent(message, line);
  }

  #sent(message: Record<string, unknown>, line: string): void {
    if (message['method'] === 'initialize') {
      this.#handshake = [line];
      this.#initializeId = message['id'];
      this.#initialized = false;
    }
    if (message['method'] === 'notifications/initialized') this.#handshake.push(line);
    if (message['method'] === CANCELLED) {
      const params = message['params'];
      if (isObject(params)) this.#open.delete(params['requestId']);
    }
    if (message['id'] !== undefined && message['method'] !== undefined) {
      const isOwed = message['method'] !== SUBSCRIPTION;
      this.#open.set(message['id'], { line, isOwed });
      this.#ask();
    }
  }

  /** Returns error responses for all open requests. */
  refuse({ code, message }: AppError): string[] {
    const error = { code: SERVER_ERROR, message: `${code}: ${message}`, data: { error: code } };
    return [...this.#open.keys()].map((id) => JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  /** Records a line from the daemon. Returns whether to forward it to the MCP client. */
  received(line: string): boolean {
    const answers = readMessages(line).filter(({ method }) => method === undefined);
    for (const { id } of answers) this.#open.delete(id);
    const [message] = answers;
    if (message === undefined) return true;
    if (message['id'] !== this.#initializeId || this.#initializeId === undefined) return true;
    if (this.#swallow) {
      this.#swallow = false;
      return false;
    }
    this.#initialized = true;
    return true;
  }

  /** Returns the lines to send first to a new daemon. */
  resume(): string[] {
    // All requests of a batch share one line.
    const open = [...new Set([...this.#open.values()].map(({ line }) => line))];
    if (!this.#initialized) return open;
    this.#swallow = true;
    return [...this.#handshake, ...open.filter((line) => !this.#handshake.includes(line))];
  }
}

function readMessages(line: string): readonly Record<string, unknown>[] {
  return [readJson(line)].flat().filter(isObject);
}

function parse(line: string): Record<string, unknown> | undefined {
  const message = readJson(line);
  return isObject(message) ? message : undefined;
}

function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
