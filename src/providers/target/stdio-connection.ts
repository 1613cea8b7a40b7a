import type { ChildProcess } from 'node:child_process';
import type {
  CallOptions,
  ConnectOptions,
  Greeting,
  RpcOutcome,
  TargetConnection,
} from '../../domain/audit/audit-target.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { LineReader } from '../../domain/common/line-reader.ts';
import { spawn } from '../../system/child.ts';
import {
  ANSWER_BYTES_MAX,
  greetingOf,
  INITIALIZE,
  isRequestToUs,
  NO_GREETING,
  outcomeOf,
  parseJson,
  refusalOf,
  UNASKED_MAX,
} from './messages.ts';
import { endTree } from './process-tree.ts';
import type { Spending } from './spending.ts';
import type { ProgramPlace } from './stdio-sandbox.ts';
import type { AllowedCommand } from './stdio-target.ts';
import { CONNECTION_MARK, type Surroundings } from './surroundings.ts';

/** Most requests from a target that are answered per connection. */
const REFUSALS_MAX = 20;
/** Timeout for the first answer of a program, in milliseconds. */
const GREETING_MS = 15_000;

/** The dependencies of a stdio connection. */
export interface StdioConnectionParts {
  readonly command: AllowedCommand;
  readonly surroundings: Surroundings;
  /** The sandbox in which it runs; absent for trusted programs. */
  readonly place?: ProgramPlace;
  readonly spending: Spending;
  /** Distinguishes the connections of one target. */
  readonly ordinal: number;
}

type Waiting = (answer: { readonly found: unknown; readonly raw: string } | Fate) => void;
type Fate = { readonly fate: 'silent' } | { readonly fate: 'broken'; readonly reason: string };

/** A child process that speaks JSON-RPC, one message per line. */
export class StdioConnection implements TargetConnection {
  readonly sessionId = null;
  readonly #parts: StdioConnectionParts;
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #unasked: unknown[] = [];
  readonly #exited: Promise<void>;
  #ordinal = 0;
  #refusals = 0;
  readonly #lines = new LineReader();
  #ending: string | undefined;
  #fault: unknown;
  greeting: Greeting = NO_GREETING;

  constructor(parts: StdioConnectionParts) {
    this.#parts = parts;
    this.#mark = `${parts.surroundings.home}/${parts.ordinal}`;
    const { argv, cwd, environment } = findStart(parts);
    const [program = '', ...args] = argv;
    this.#child = spawn(program, args, {
      cwd,
      env: { ...environment, [CONNECTION_MARK]: this.#mark },
      stdio: ['pipe', 'pipe', 'ignore'],
      // In its own process group, so that its children can be stopped with it.
      detached: true,
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
    this.#child.once('error', (error) => this.#end(error.message));
    this.#child.once('exit', (code) => this.#end(`exit ${code ?? 'by a signal'}`));
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdout?.setEncoding('utf8');
    this.#child.stdout?.on('data', (piece: string) => this.#read(piece));
  }

  /** Whether the process has exited. */
  get isClosed(): boolean {
    return this.#ending !== undefined;
  }

  /**
   * Initializes the session with the program.
   *
   * @throws {AppError} `AUDIT_TARGET_DOWN`
   */
  async begin(options: ConnectOptions): Promise<void> {
    const deadlineMs = options.deadlineMs ?? GREETING_MS;
    const asked = await this.request('initialize', INITIALIZE, { deadlineMs });
    const greeting = asked.kind === 'result' ? greetingOf(asked.result) : undefined;
    if (greeting === undefined) {
      await this.close();
      const why = asked.kind === 'broken' ? { reason: asked.reason } : {};
      const data = { target: this.#parts.command.name, outcome: asked.kind, ...why };
      throw new AppError('AUDIT_TARGET_DOWN', { data });
    }
    this.greeting = greeting;
    await this.notify('notifications/initialized');
  }

  async request(method: string, params?: unknown, options: CallOptions = {}): Promise<RpcOutcome> {
    this.#ordinal += 1;
    const id = this.#ordinal;
    const { progressToken, deadlineMs, signal } = options;
    const given = progressToken === undefined ? params : withToken(params, progressToken);
    const sent = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      ...(given === undefined ? {} : { params: given }),
    });
    const waitMs = this.#parts.spending.take(Buffer.byteLength(sent), deadlineMs);
    const startedAt = performance.now();
    const answer = await this.#ask(id, sent, { waitMs, signal });
    if (this.#fault !== undefined) throw toAppError(this.#fault);
    this.#parts.spending.checkStopped();
    const facts = { ms: Math.round(performance.now() - startedAt), sent };
    if ('found' in answer) return outcomeOf(answer.found, { ...facts, raw: answer.raw });
    if (answer.fate === 'broken') {
      return { kind: 'broken', reason: answer.reason, raw: '', ...facts };
    }
    this.#parts.spending.checkTime();
    return { kind: 'silent', raw: '', ...facts };
  }

  async notify(method: string, params?: unknown): Promise<void> {
    const message = { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
    const text = JSON.stringify(message);
    this.#parts.spending.take(Buffer.byteLength(text));
    this.#write(text);
  }

  unasked(): readonly unknown[] {
    return [...this.#unasked];
  }

  async close(): Promise<void> {
    this.#end('closed');
    await this.#endTree();
  }

  #ask(
    id: number,
    sent: string,
    how: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
  ): ReturnType<typeof once> {
    const asked = once((give) => {
      if (this.#ending !== undefined) give({ fate: 'broken', reason: this.#ending });
      this.#waiting.set(id, give);
      const timer = setTimeout(() => give({ fate: 'silent' }), how.waitMs);
      const giveUp = () => give({ fate: 'silent' });
      how.signal?.addEventListener('abort', giveUp, { once: true });
      return () => {
        clearTimeout(timer);
        how.signal?.removeEventListener('abort', giveUp);
        this.#waiting.delete(id);
      };
    });
    this.#write(sent);
    return asked;
  }

  #write(text: string): void {
    if (this.#ending === undefined) this.#child.stdin?.write(`${text}\n`);
  }

  #read(piece: string): void {
    if (this.#ending !== undefined) return;
    try {
      this.#parts.spending.addBytes(Buffer.byteLength(piece));
    } catch (fault) {
      this.#fault = fault;
      this.#kill('over budget');
      return;
    }
    const lines = this.#lines.push(piece);
    if (this.#lines.openChars > ANSWER_BYTES_MAX) this.#kill('a line is too long');
    for (const line of lines) this.#take(line);
  }

  #take(line: string): void {
    const message = parseJson(line);
    if (!isObject(message)) return;
    const { id } = message;
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    const isAnswer = 'result' in message || 'error' in message;
    if (waiting !== undefined && isAnswer) {
      waiting({ found: message, raw: line });
      return;
    }
    if (isRequestToUs(message) && this.#refusals < REFUSALS_MAX) {
      this.#refusals += 1;
      this.#write(refusalOf(message));
    }
    if (this.#unasked.length < UNASKED_MAX) this.#unasked.push(message);
  }

  #kill(reason: string): void {
    this.#end(reason);
    void this.#endTree();
  }

  async #endTree(): Promise<void> {
    await endTree(this.#child, this.#exited, `${CONNECTION_MARK}=${this.#mark}`);
  }

  #end(reason: string): void {
    this.#ending ??= reason;
    for (const give of [...this.#waiting.values()]) give({ fate: 'broken', reason });
  }
}

/** Returns the start command of a process: inside its sandbox, or directly. */
function findStart({ command, surroundings, place }: StdioConnectionParts) {
  const { home, environment } = surroundings;
  if (place !== undefined) {
    return { argv: place.argv, cwd: '/', environment: { ...environment, PATH: place.path } };
  }
  const { command: program, args, workingDirectory: cwd = home } = command;
  return { argv: [program, ...args], cwd, environment };
}

/** Creates a promise that settles once. The function returned by `begin` runs at that point. */
function once(begin: (give: Waiting) => () => void): Promise<Parameters<Waiting>[0]> {
  return new Promise((resolve) => {
    let finish: (() => void) | undefined;
    let isGiven = false;
    finish = begin((answer) => {
      if (isGiven) return;
      isGiven = true;
      finish?.();
      resolve(answer);
    });
    if (isGiven) finish();
  });
}

function withToken(params: unknown, progressToken: string): unknown {
  return { ...(params as object | undefined), _meta: { progressToken } };
}
