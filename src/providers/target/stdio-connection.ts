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
import type { AllowedCommand } from './audit-settings.ts';
import {
  ANSWER_BYTES_MAX,
  createErrorAnswer,
  INITIALIZE_PARAMS,
  isTargetRequest,
  NO_GREETING,
  parseGreeting,
  parseJson,
  toOutcome,
  UNSOLICITED_MAX,
} from './messages.ts';
import { CONNECTION_MARK, type ProcessEnvironment } from './process-environment.ts';
import { stopProcessTree } from './process-tree.ts';
import type { SpendingBudget } from './spending-budget.ts';
import type { SandboxedProgram } from './stdio-sandbox.ts';

/** Most requests from a target that are answered per connection. */
const REFUSALS_MAX = 20;
/** Timeout for the first answer of a program, in milliseconds. */
const INITIALIZE_TIMEOUT_MS = 15_000;

/** The dependencies of a stdio connection. */
export interface StdioConnectionDeps {
  readonly command: AllowedCommand;
  readonly surroundings: ProcessEnvironment;
  /** The sandbox in which it runs; absent for trusted programs. */
  readonly sandboxedProgram?: SandboxedProgram;
  readonly spending: SpendingBudget;
  /** Distinguishes the connections of one target. */
  readonly ordinal: number;
}

type AnswerHandler = (
  answer: { readonly found: unknown; readonly raw: string } | FailedAnswer,
) => void;
type FailedAnswer =
  | { readonly fate: 'silent' }
  | { readonly fate: 'broken'; readonly reason: string };

/** A child process that speaks JSON-RPC, one message per line. */
export class StdioConnection implements TargetConnection {
  readonly sessionId = null;
  readonly #parts: StdioConnectionDeps;
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #answerHandlers = new Map<number, AnswerHandler>();
  readonly #unsolicited: unknown[] = [];
  readonly #exited: Promise<void>;
  #lastRequestId = 0;
  #refusals = 0;
  readonly #lines = new LineReader();
  #endReason: string | undefined;
  #budgetError: unknown;
  greeting: Greeting = NO_GREETING;

  constructor(parts: StdioConnectionDeps) {
    this.#parts = parts;
    this.#mark = `${parts.surroundings.home}/${parts.ordinal}`;
    const { argv, cwd, environment } = findStartCommand(parts);
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
    this.#child.once('error', (error) => this.#markEnded(error.message));
    this.#child.once('exit', (code) => this.#markEnded(`exit ${code ?? 'by a signal'}`));
    this.#child.stdin?.on('error', () => undefined);
    this.#child.stdout?.setEncoding('utf8');
    this.#child.stdout?.on('data', (piece: string) => this.#read(piece));
  }

  /** Whether the process has exited. */
  get isClosed(): boolean {
    return this.#endReason !== undefined;
  }

  /**
   * Initializes the session with the program.
   *
   * @throws {AppError} `AUDIT_TARGET_DOWN`
   */
  async initialize(options: ConnectOptions): Promise<void> {
    const deadlineMs = options.deadlineMs ?? INITIALIZE_TIMEOUT_MS;
    const outcome = await this.request('initialize', INITIALIZE_PARAMS, { deadlineMs });
    const greeting = outcome.kind === 'result' ? parseGreeting(outcome.result) : undefined;
    if (greeting === undefined) {
      await this.close();
      const why = outcome.kind === 'broken' ? { reason: outcome.reason } : {};
      const data = { target: this.#parts.command.name, outcome: outcome.kind, ...why };
      throw new AppError('AUDIT_TARGET_DOWN', { data });
    }
    this.greeting = greeting;
    await this.notify('notifications/initialized');
  }

  async request(method: string, params?: unknown, options: CallOptions = {}): Promise<RpcOutcome> {
    this.#lastRequestId += 1;
    const id = this.#lastRequestId;
    const { progressToken, deadlineMs, signal } = options;
    const paramsWithToken =
      progressToken === undefined ? params : withProgressToken(params, progressToken);
    const sent = JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      ...(paramsWithToken === undefined ? {} : { params: paramsWithToken }),
    });
    const waitMs = this.#parts.spending.reserveRequest(Buffer.byteLength(sent), deadlineMs);
    const startedAt = performance.now();
    const answer = await this.#ask(id, sent, { waitMs, signal });
    if (this.#budgetError !== undefined) throw toAppError(this.#budgetError);
    this.#parts.spending.requireRunning();
    const facts = { ms: Math.round(performance.now() - startedAt), sent };
    if ('found' in answer) return toOutcome(answer.found, { ...facts, raw: answer.raw });
    if (answer.fate === 'broken') {
      return { kind: 'broken', reason: answer.reason, raw: '', ...facts };
    }
    this.#parts.spending.requireTime();
    return { kind: 'silent', raw: '', ...facts };
  }

  async notify(method: string, params?: unknown): Promise<void> {
    const message = { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
    const text = JSON.stringify(message);
    this.#parts.spending.reserveRequest(Buffer.byteLength(text));
    this.#write(text);
  }

  unsolicitedMessages(): readonly unknown[] {
    return [...this.#unsolicited];
  }

  async close(): Promise<void> {
    this.#markEnded('closed');
    await this.#stopProcessTree();
  }

  #ask(
    id: number,
    sent: string,
    how: { readonly waitMs: number; readonly signal: AbortSignal | undefined },
  ): ReturnType<typeof settleOnce> {
    const answer = settleOnce((give) => {
      if (this.#endReason !== undefined) give({ fate: 'broken', reason: this.#endReason });
      this.#answerHandlers.set(id, give);
      const timer = setTimeout(() => give({ fate: 'silent' }), how.waitMs);
      const giveUp = () => give({ fate: 'silent' });
      how.signal?.addEventListener('abort', giveUp, { once: true });
      return () => {
        clearTimeout(timer);
        how.signal?.removeEventListener('abort', giveUp);
        this.#answerHandlers.delete(id);
      };
    });
    this.#write(sent);
    return answer;
  }

  #write(text: string): void {
    if (this.#endReason === undefined) this.#child.stdin?.write(`${text}\n`);
  }

  #read(piece: string): void {
    if (this.#endReason !== undefined) return;
    try {
      this.#parts.spending.addBytes(Buffer.byteLength(piece));
    } catch (fault) {
      this.#budgetError = fault;
      this.#kill('over budget');
      return;
    }
    const lines = this.#lines.push(piece);
    if (this.#lines.openChars > ANSWER_BYTES_MAX) this.#kill('a line is too long');
    for (const line of lines) this.#handleLine(line);
  }

  #handleLine(line: string): void {
    const message = parseJson(line);
    if (!isObject(message)) return;
    const { id } = message;
    const waiting = typeof id === 'number' ? this.#answerHandlers.get(id) : undefined;
    const isAnswer = 'result' in message || 'error' in message;
    if (waiting !== undefined && isAnswer) {
      waiting({ found: message, raw: line });
      return;
    }
    if (isTargetRequest(message) && this.#refusals < REFUSALS_MAX) {
      this.#refusals += 1;
      this.#write(createErrorAnswer(message));
    }
    if (this.#unsolicited.length < UNSOLICITED_MAX) this.#unsolicited.push(message);
  }

  #kill(reason: string): void {
    this.#markEnded(reason);
    void this.#stopProcessTree();
  }

  async #stopProcessTree(): Promise<void> {
    await stopProcessTree(this.#child, this.#exited, `${CONNECTION_MARK}=${this.#mark}`);
  }

  #markEnded(reason: string): void {
    this.#endReason ??= reason;
    for (const give of [...this.#answerHandlers.values()]) give({ fate: 'broken', reason });
  }
}

/** Returns the start command of a process: inside its sandbox, or directly. */
function findStartCommand({ command, surroundings, sandboxedProgram }: StdioConnectionDeps) {
  const { home, environment } = surroundings;
  if (sandboxedProgram !== undefined) {
    return {
      argv: sandboxedProgram.argv,
      cwd: '/',
      environment: { ...environment, PATH: sandboxedProgram.path },
    };
  }
  const { command: program, args, workingDirectory: cwd = home } = command;
  return { argv: [program, ...args], cwd, environment };
}

/** Creates a promise that settles once. The function returned by `begin` runs at that point. */
function settleOnce(
  begin: (give: AnswerHandler) => () => void,
): Promise<Parameters<AnswerHandler>[0]> {
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

function withProgressToken(params: unknown, progressToken: string): unknown {
  return { ...(params as object | undefined), _meta: { progressToken } };
}
