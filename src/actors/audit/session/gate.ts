import type {
  AuditTarget,
  CallOptions,
  ConnectOptions,
  Greeting,
  RawAnswer,
  RawExchange,
  RpcOutcome,
  TargetConnection,
  TargetSpending,
} from '../../../domain/audit/audit-target.ts';
import type { Arguments } from '../../../domain/audit/probe/arguments.ts';
import { classifyTool, isRemoving } from '../../../domain/audit/probe/reading-tool.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import { isCallable, leaveFor, type SendingRules } from '../../../domain/audit/probe/sending.ts';
import type { TargetAddress } from '../../../domain/audit/records.ts';
import { type OwnNames, ownNames } from '../../../domain/audit/text/own-names.ts';
import { isObject } from '../../../domain/common/json.ts';
import { Ledger } from '../ledger.ts';
import { isReaderProven, provingCall } from '../prove-reader.ts';
import type { Doubts } from './doubts.ts';

/** Inputs of the gate's decisions. */
export interface GateParts {
  /** The tools that the target listed. If two share a name, both must allow a call. */
  readonly tools: readonly Definition[];
  readonly seed: string;
  readonly allowWrites: boolean;
  /** Origins of our own listener, such as `http://127.0.0.1:port`. */
  readonly listeners: readonly string[];
  readonly doubts: Doubts;
}

/** Options of a call through the gate. */
export interface GatedCallOptions extends CallOptions {
  /** If set, a missing answer is expected and raises no doubt. */
  readonly mayStaySilent?: boolean;
}

/** Read-only methods of a session. */
const LOOKING = new Set([
  ...['initialize', 'ping', 'tools/list', 'resources/list', 'resources/templates/list'],
  ...['resources/read', 'prompts/list', 'prompts/get'],
]);
/** Methods that send a text to an agent. */
const TALKING = new Set(['message/send', 'SendMessage']);
const NOTICES = new Set(['notifications/initialized', 'notifications/cancelled']);
const VERBS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);
const CALL = 'tools/call';
/** Stands for a tool with a nonexistent name, whose calls have no effect. */
const NOBODY = { name: 'get' } as const;
/** Tools that do nothing without arguments. */
const RUNNERS = /^(?:exec|execute|eval|run)(?:[_-]?(?:command|query|code))?$/i;
const GUESSED = {
  leave: 'withhold',
  why: 'the tool is not listed and its name implies writing',
} as const;

/**
 * The only way from a probe to its target. Every tool call is checked against the policy in
 * docs/audits.md before it is sent. A withheld call returns an outcome without an answer and makes
 * the run partial. Probes cannot access the target directly.
 */
export class GatedTarget implements AuditTarget {
  readonly #target: AuditTarget;
  readonly #judge: Judge;

  constructor(target: AuditTarget, parts: GateParts) {
    this.#target = target;
    this.#judge = new Judge(parts);
  }

  get address(): TargetAddress {
    return this.#target.address;
  }

  get origin(): string {
    return this.#target.origin;
  }

  get pinnedAddress(): string | null {
    return this.#target.pinnedAddress;
  }

  get hasCredentials(): boolean {
    return this.#target.hasCredentials;
  }

  /** Names of this audit that were sent to tools that may have stored them. */
  get ledger(): Ledger {
    return this.#judge.ledger;
  }

  /** Number of answered and unanswered tool calls. */
  get calls(): { readonly answered: number; readonly unanswered: number } {
    return this.#judge.calls;
  }

  /** Returns whether a tool may be called with audit names; records a doubt if not. */
  admits(tool: Definition): boolean {
    return this.#judge.admits(tool);
  }

  /** Returns whether a call would be sent; records nothing. */
  wouldSend(name: string, values: Arguments): boolean {
    return this.#judge.wouldSend(name, values);
  }

  async connect(options?: ConnectOptions): Promise<GatedConnection> {
    return new GatedConnection(await this.#target.connect(options), this.#judge);
  }

  get exchange(): ((request: RawExchange) => Promise<RawAnswer>) | undefined {
    const { exchange } = this.#target;
    if (exchange === undefined) return undefined;
    return async (request) => {
      const why = this.#judge.faultOfExchange(request);
      if (why === undefined) return await exchange(request);
      return { kind: 'broken', reason: `withheld: ${why}`, ms: 0, sent: '' };
    };
  }

  spent(): TargetSpending {
    return this.#target.spent();
  }

  async close(): Promise<void> {
    await this.#target.close();
  }
}

/** A connection behind the gate. */
export class GatedConnection implements TargetConnection {
  readonly #connection: TargetConnection;
  readonly #judge: Judge;

  constructor(connection: TargetConnection, judge: Judge) {
    this.#connection = connection;
    this.#judge = judge;
  }

  get sessionId(): string | null {
    return this.#connection.sessionId;
  }

  get greeting(): Greeting {
    return this.#connection.greeting;
  }

  async request(method: string, params?: unknown, options?: GatedCallOptions): Promise<RpcOutcome> {
    const connection = this.#connection;
    if (method === CALL) return await this.#judge.call(connection, params, options);
    if (!this.#judge.isLooking(method))
      return withheld(`the method ${method} may change something`);
    return await connection.request(method, params, options);
  }

  async notify(method: string, params?: unknown): Promise<void> {
    if (NOTICES.has(method)) await this.#connection.notify(method, params);
  }

  unasked(): readonly unknown[] {
    return this.#connection.unasked();
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** Decides what is sent, and records what tools may have stored. */
class Judge {
  readonly ledger = new Ledger();
  readonly #parts: GateParts;
  readonly #own: OwnNames;
  readonly #proven = new Map<string, boolean>();
  #answered = 0;
  #unanswered = 0;

  constructor(parts: GateParts) {
    this.#parts = parts;
    this.#own = ownNames(parts.seed);
  }

  get calls() {
    return { answered: this.#answered, unanswered: this.#unanswered };
  }

  admits(tool: Definition): boolean {
    const { doubts } = this.#parts;
    const rules = this.#rules();
    const isAdmitted = this.#listed(tool.name).every((one) => isCallable(one, rules));
    if (!isAdmitted) doubts.noteTool(tool.name, 'not called, because it may change existing data');
    return isAdmitted;
  }

  wouldSend(name: string, values: Arguments): boolean {
    return this.#judgeCall(name, values).leave !== 'withhold';
  }

  isLooking(method: string): boolean {
    return LOOKING.has(method) || this.#own.isIn(method);
  }

  async call(
    connection: TargetConnection,
    params: unknown,
    options?: GatedCallOptions,
  ): Promise<RpcOutcome> {
    const { doubts } = this.#parts;
    const { name, values } = readCall(params);
    const judged = this.#judgeCall(name, values);
    if (judged.leave === 'withhold') {
      doubts.noteTool(shownName(name), `a call was withheld: ${judged.why}`);
      return withheld(judged.why);
    }
    if (judged.leave === 'prove' && !(await this.#isProven(connection, name, values))) {
      doubts.noteTool(shownName(name), 'it accepts any name, so no existing one was sent');
      return withheld('it accepts any name');
    }
    const outcome = await connection.request(CALL, params, options);
    this.#note(name, values, outcome);
    this.#count(name, outcome, options?.mayStaySilent === true);
    return outcome;
  }

  faultOfExchange({ method, body = '' }: RawExchange): string | undefined {
    if (!VERBS.has(method.toUpperCase())) return `the method ${method} may change something`;
    const messages = messagesIn(body);
    if (messages === undefined) {
      return body.includes('tools') ? 'an unreadable body may call a tool' : undefined;
    }
    const faults = messages.map((message) => this.#faultOfMessage(message));
    return faults.find((fault) => fault !== undefined);
  }

  #faultOfMessage(message: unknown): string | undefined {
    if (!isObject(message)) return undefined;
    const { method, params } = message;
    if (typeof method !== 'string' || this.isLooking(method) || TALKING.has(method)) {
      return undefined;
    }
    if (method !== CALL) return `the method ${method.slice(0, 60)} may change something`;
    const { name, values } = readCall(params);
    const judged = this.#judgeCall(name, values);
    if (judged.leave === 'send') this.ledger.note(shownName(name), values, this.#own);
    return judged.leave === 'send' ? undefined : 'it may change something';
  }

  /** If two definitions share a name, the stricter decision applies. */
  #judgeCall(name: unknown, values: unknown) {
    const rules = this.#rules();
    const listed = this.#listed(name);
    if (typeof name !== 'string' || this.#own.isIn(name)) return leaveFor(NOBODY, values, rules);
    const asked = listed.length === 0 ? [{ name }] : listed;
    const isGuess = listed.length === 0 && asked.some((tool) => classifyTool(tool) === 'writer');
    if (isGuess && !asked.some((tool) => isRemoving(tool)) && !RUNNERS.test(name)) return GUESSED;
    const judged = asked.map((tool) => leaveFor(tool, values, rules));
    const strictest = ['withhold', 'prove', 'send'] as const;
    const found = strictest.map((leave) => judged.find((one) => one.leave === leave));
    return found.find((one) => one !== undefined) ?? ({ leave: 'send' } as const);
  }

  async #isProven(connection: TargetConnection, name: unknown, values: unknown): Promise<boolean> {
    const [tool = { name: shownName(name) }] = this.#listed(name);
    const proving = provingCall(values, tool, this.#rules());
    const key = `${shownName(name)}/${proving.places.join('/')}`;
    const known = this.#proven.get(key);
    if (known !== undefined) return known;
    const isProven = await isReaderProven(connection, name, proving.values);
    if (!isProven) this.ledger.note(shownName(name), proving.values, this.#own);
    this.#proven.set(key, isProven);
    return isProven;
  }

  #note(name: unknown, values: unknown, outcome: RpcOutcome): void {
    const listed = this.#listed(name);
    const keepsNothing = listed.every(
      (tool) => classifyTool(tool) === 'reader' || isRemoving(tool),
    );
    // A tool that does not know the name, or does not exist, has stored nothing.
    if (keepsNothing) this.ledger.noteReader(shownName(name), values, { own: this.#own, outcome });
    else this.ledger.note(shownName(name), values, this.#own);
  }

  #count(name: unknown, outcome: RpcOutcome, mayStaySilent: boolean): void {
    const isFault = outcome.kind === 'refused' && (outcome.status >= 500 || outcome.status === 429);
    if (outcome.kind !== 'silent' && outcome.kind !== 'broken' && !isFault) {
      this.#answered += 1;
    } else if (!mayStaySilent) {
      this.#unanswered += 1;
      this.#parts.doubts.noteTool(shownName(name), 'a call had no answer');
    }
  }

  #listed(name: unknown): readonly Definition[] {
    return this.#parts.tools.filter((tool) => tool.name === name);
  }

  #rules(): SendingRules {
    const { allowWrites, listeners } = this.#parts;
    return { own: this.#own, allowWrites, listeners };
  }
}

function readCall(params: unknown): { readonly name: unknown; readonly values: unknown } {
  if (!isObject(params)) return { name: undefined, values: params };
  return { name: params['name'], values: params['arguments'] };
}

function shownName(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 100) : 'a tool without a name';
}

/** Returns the messages of a body; `undefined` if it is not valid JSON. */
function messagesIn(body: string): readonly unknown[] | undefined {
  if (body === '') return [];
  try {
    const read = JSON.parse(body) as unknown;
    return Array.isArray(read) ? read : [read];
  } catch {
    return undefined;
  }
}

function withheld(why: string): RpcOutcome {
  return { kind: 'broken', reason: `withheld: ${why}`, ms: 0, raw: '', sent: '' };
}
