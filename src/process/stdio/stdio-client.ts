import { connect, type Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, ERRORS, type ErrorCode, toAppError } from '../../domain/common/error.ts';
import { isObject, tryParseJson } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import type { ToolServer } from '../../domain/tool/tool.ts';
import { readLines } from './lines.ts';
import { GREETING_ACCEPTED } from './local-server.ts';

/** The options of a stdio client. */
export interface StdioClientOptions {
  readonly server: ToolServer;
  /** Tool groups to request. All groups when absent. */
  readonly toolsets?: readonly string[];
  /** Request only tools that change nothing. */
  readonly readOnly?: boolean;
  /** Request search mode. */
  readonly search?: boolean;
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
  readonly stopListening?: () => void;
}

/** Time limit for a greeting from a daemon that may still be starting, in milliseconds. */
const GREETING_TIMEOUT_MS = 60_000;
/** How long a daemon that closed its socket may take to report why and exit, in milliseconds. */
const FAILURE_REPORT_MS = 3_000;
/** How long to wait for a client's first request, to report the failure to it, in milliseconds. */
const FIRST_REQUEST_MS = 2_000;
/** Attempts to reach a daemon before the client gives up. */
const REACH_ATTEMPTS = 5;
/** JSON-RPC code of a server error. */
const SERVER_ERROR = -32_000;
/** Time limit for open requests after the input has ended, in milliseconds. */
const DRAIN_MS_MAX = 10 * MINUTE_MS;
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
  const session = new ClientSession();
  let socket: Socket | undefined;
  let ended = false;
  const forwardLine = (line: string): void => {
    session.recordSent(line);
    socket?.write(`${line}\n`);
  };
  readLines(options.input, forwardLine, true);
  const leaving = new AbortController();
  const disconnect = (): void => {
    session.clear();
    ended = true;
    leaving.abort();
    socket?.end();
  };
  let drainTimer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (!session.hasOpenRequests) disconnect();
    if (ended) return;
    ended = true;
    drainTimer = setTimeout(disconnect, DRAIN_MS_MAX);
  };
  for (const event of ['close', 'end']) options.input.once(event, end);
  const gone = new Promise<void>((done) => {
    options.input.once('end', done).once('close', done);
    options.output.once('error', done).once('close', done);
  });
  for (const event of ['close', 'error']) options.output.once(event, disconnect);
  // A client that has left needs no error.
  options.output.on('error', () => undefined);
  const isOver = (): boolean => ended && !session.hasOpenRequests;
  while (!isOver()) {
    const reached = await reachDaemon(options, leaving.signal).catch((thrown: unknown) =>
      rejectAll({ options, session, gone }, toAppError(thrown)),
    );
    if (reached === undefined) break;
    const [link, first] = reached;
    const closed = new Promise<void>((done) => link.once('close', () => done()));
    for (const line of session.linesToResend()) link.write(`${line}\n`);
    if (first.length > 0) link.unshift(first);
    readLines(link, (line) => {
      const refusal = ended ? rejectRequest(line) : undefined;
      if (refusal !== undefined) link.write(`${refusal}\n`);
      else if (session.recordReceived(line)) options.output.write(`${line}\n`);
      if (isOver()) disconnect();
    });
    link.resume();
    socket = link;
    if (isOver()) link.end();
    await closed;
    socket = undefined;
  }
  clearTimeout(drainTimer);
}

/** Answers every open request, and one that arrives soon, with the reason of the failure. */
async function rejectAll(
  { options, session, gone }: PendingRejection,
  error: AppError,
): Promise<never> {
  await Promise.race([
    session.firstRequest,
    gone,
    sleep(FIRST_REQUEST_MS, undefined, { ref: false }),
  ]);
  for (const line of session.rejectionLines(error)) options.output.write(`${line}\n`);
  // When the input closes, no request must delay the exit.
  session.clear();
  throw error;
}

interface PendingRejection {
  readonly options: StdioClientOptions;
  readonly session: ClientSession;
  /** Resolves when the client has closed its input or its output. */
  readonly gone: Promise<void>;
}

/** Rejects a daemon's request to the client, because nobody can answer it. */
function rejectRequest(line: string): string | undefined {
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
    const { address, token, failure, stopListening } = await options.reach();
    const { server, toolsets, readOnly, search, passportId } = options;
    const hello = { token, server, toolsets, readOnly, search, passportId };
    try {
      return await greet({ address, hello, leaving, failure });
    } catch (cause) {
      if (leaving.aborted) return undefined;
      if (cause instanceof Rejection) throw cause.error;
      last = cause;
      await sleep(100 * 2 ** attempt);
    } finally {
      stopListening?.();
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
class Rejection {
  readonly error: AppError;

  constructor(error: AppError) {
    this.error = error;
  }

  /** Parses the reply that a daemon sends instead of a greeting. */
  static read(line: string): Rejection {
    const { error, message } = parse(line) ?? {};
    const isKnown = typeof error === 'string' && Object.hasOwn(ERRORS, error);
    const code = isKnown ? (error as ErrorCode) : 'UNAUTHORIZED';
    const told = typeof message === 'string' ? { message } : { data: { file: 'token' } };
    return new Rejection(new AppError(code, told));
  }
}

function greet({ address, hello, leaving, failure }: Greeting): Promise<[Socket, Buffer]> {
  return new Promise((done, fail) => {
    const link = connect(address, () => link.write(`${JSON.stringify(hello)}\n`));
    // Ends the attempt when the daemon does not answer in time or the client leaves.
    link.setTimeout(GREETING_TIMEOUT_MS, () => link.destroy());
    const leave = (): void => void link.destroy();
    leaving.addEventListener('abort', leave, { once: true });
    let received = Buffer.alloc(0);
    let failureTimer: NodeJS.Timeout | undefined;
    void failure?.then((error) => {
      clearTimeout(failureTimer);
      fail(new Rejection(error));
    });
    // A daemon that crashes before the greeting reports why, or the next attempt finds another one.
    const onClosed = (): void => {
      const patienceMs = failure === undefined || leaving.aborted ? 0 : FAILURE_REPORT_MS;
      const away = new AppError('INTERNAL', { message: 'The daemon closed the connection.' });
      failureTimer = setTimeout(() => fail(away), patienceMs);
    };
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf(10);
      if (end < 0) return;
      link.pause();
      link.off('data', onData);
      link.off('close', onClosed);
      link.setTimeout(0);
      leaving.removeEventListener('abort', leave);
      const first = received.subarray(0, end).toString('utf8');
      if (first !== GREETING_ACCEPTED) fail(Rejection.read(first));
      else done([link, received.subarray(end + 1)]);
    };
    link.once('close', onClosed);
    link.on('data', onData);
    link.on('error', () => link.destroy());
  });
}

/** Tracks what must be resent to a new daemon. */
class ClientSession {
  /** Resolves with the first request. */
  readonly firstRequest: Promise<void>;
  #resolveFirst: () => void = () => undefined;
  #handshake: string[] = [];
  #initializeId: unknown;
  #initialized = false;
  #isSwallowing = false;
  readonly #open = new Map<unknown, { readonly line: string; readonly isOwed: boolean }>();

  /** Whether the MCP client waits for an answer. */
  get hasOpenRequests(): boolean {
    return [...this.#open.values()].some(({ isOwed }) => isOwed);
  }

  /** Drops all open requests. */
  clear(): void {
    this.#open.clear();
  }

  constructor() {
    this.firstRequest = new Promise((done) => {
      this.#resolveFirst = done;
    });
  }

  /** Records a line from the MCP client. */
  recordSent(line: string): void {
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
      this.#resolveFirst();
    }
  }

  /** Returns error responses for all open requests. */
  rejectionLines({ code, message }: AppError): string[] {
    const error = { code: SERVER_ERROR, message: `${code}: ${message}`, data: { error: code } };
    return [...this.#open.keys()].map((id) => JSON.stringify({ jsonrpc: '2.0', id, error }));
  }

  /** Records a line from the daemon. Returns whether to forward it to the MCP client. */
  recordReceived(line: string): boolean {
    const answers = readMessages(line).filter(({ method }) => method === undefined);
    for (const { id } of answers) this.#open.delete(id);
    const [message] = answers;
    if (message === undefined) return true;
    if (message['id'] !== this.#initializeId || this.#initializeId === undefined) return true;
    if (this.#isSwallowing) {
      this.#isSwallowing = false;
      return false;
    }
    this.#initialized = true;
    return true;
  }

  /** Returns the lines to send first to a new daemon. */
  linesToResend(): string[] {
    // All requests of a batch share one line.
    const open = [...new Set([...this.#open.values()].map(({ line }) => line))];
    if (!this.#initialized) return open;
    this.#isSwallowing = true;
    return [...this.#handshake, ...open.filter((line) => !this.#handshake.includes(line))];
  }
}

function readMessages(line: string): readonly Record<string, unknown>[] {
  return [tryParseJson(line)].flat().filter(isObject);
}

function parse(line: string): Record<string, unknown> | undefined {
  const message = tryParseJson(line);
  return isObject(message) ? message : undefined;
}
