import type {
  AuditTarget,
  CallOptions,
  ConnectOptions,
  Greeting,
  RawExchange,
  RawResponse,
  RpcOutcome,
  TargetConnection,
  TargetSpending,
} from '../../../domain/audit/audit-target.ts';
import type { Arguments } from '../../../domain/audit/probe/arguments.ts';
import {
  type CallRules,
  decideCallPermission,
  isCallable,
} from '../../../domain/audit/probe/call-permission.ts';
import { classifyTool, isRemoving } from '../../../domain/audit/probe/classify-tool.ts';
import type { Definition } from '../../../domain/audit/probe/recon.ts';
import type { TargetAddress } from '../../../domain/audit/records.ts';
import { type AuditNames, createAuditNames } from '../../../domain/audit/text/audit-names.ts';
import { isObject } from '../../../domain/common/json.ts';
import { NameLedger } from '../name-ledger.ts';
import { createProvingCall, isReaderProven } from '../prove-reader.ts';
import type { Doubts } from './doubts.ts';

/** Inputs of the gate's decisions. */
export interface GateDeps {
  /** The tools that the target listed. If two share a name, both must allow a call. */
  readonly tools: readonly Definition[];
  readonly seed: string;
  readonly allowWrites: boolean;
  /** Origins of our own listener, such as `http://127.0.0.1:port`. */
  readonly listeners: readonly string[];
  readonly doubts: Doubts;
}

/** Read-only methods of a session. */
const READ_METHODS = new Set([
  ...['initialize', 'ping', 'tools/list', 'resources/list', 'resources/templates/list'],
  ...['resources/read', 'prompts/list', 'prompts/get'],
]);
/** Methods that send a text to an agent. */
const MESSAGE_METHODS = new Set(['message/send', 'SendMessage']);
const NOTIFICATIONS = new Set(['notifications/initialized', 'notifications/cancelled']);
const HTTP_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST']);
const CALL = 'tools/call';
/** Stands for a tool with a nonexistent name, whose calls have no effect. */
const NONEXISTENT_TOOL = { name: 'get' } as const;
/** Tools that do nothing without arguments. */
const RUNNER_NAMES = /^(?:exec|execute|eval|run)(?:[_-]?(?:command|query|code))?$/i;
const WITHHELD_GUESS = {
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
  readonly #policy: GatePolicy;

  constructor(target: AuditTarget, parts: GateDeps) {
    this.#target = target;
    this.#policy = new GatePolicy(parts);
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
  get ledger(): NameLedger {
    return this.#policy.ledger;
  }

  /** Number of answered and unanswered tool calls. */
  get calls(): { readonly answered: number; readonly unanswered: number } {
    return this.#policy.calls;
  }

  /** Returns whether a tool may be called with audit names; records a doubt if not. */
  admits(tool: Definition): boolean {
    return this.#policy.admits(tool);
  }

  /** Returns whether a call would be sent; records nothing. */
  wouldSend(name: string, values: Arguments): boolean {
    return this.#policy.wouldSend(name, values);
  }

  async connect(options?: ConnectOptions): Promise<GatedConnection> {
    return new GatedConnection(await this.#target.connect(options), this.#policy);
  }

  get exchange(): ((request: RawExchange) => Promise<RawResponse>) | undefined {
    const { exchange } = this.#target;
    if (exchange === undefined) return undefined;
    return async (request) => {
      const why = this.#policy.faultOfExchange(request);
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
  readonly #policy: GatePolicy;

  constructor(connection: TargetConnection, judge: GatePolicy) {
    this.#connection = connection;
    this.#policy = judge;
  }

  get sessionId(): string | null {
    return this.#connection.sessionId;
  }

  get greeting(): Greeting {
    return this.#connection.greeting;
  }

  async request(method: string, params?: unknown, options?: CallOptions): Promise<RpcOutcome> {
    const connection = this.#connection;
    if (method === CALL) return await this.#policy.call(connection, params, options);
    if (!this.#policy.isReadMethod(method))
      return withheldOutcome(`the method ${method} may change something`);
    return await connection.request(method, params, options);
  }

  async notify(method: string, params?: unknown): Promise<void> {
    if (NOTIFICATIONS.has(method)) await this.#connection.notify(method, params);
  }

  unsolicitedMessages(): readonly unknown[] {
    return this.#connection.unsolicitedMessages();
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}

/** Decides what is sent, and records what tools may have stored. */
class GatePolicy {
  readonly ledger = new NameLedger();
  readonly #parts: GateDeps;
  readonly #own: AuditNames;
  readonly #proven = new Map<string, boolean>();
  #answered = 0;
  #unanswered = 0;

  constructor(parts: GateDeps) {
    this.#parts = parts;
    this.#own = createAuditNames(parts.seed);
  }

  get calls() {
    return { answered: this.#answered, unanswered: this.#unanswered };
  }

  admits(tool: Definition): boolean {
    const { doubts } = this.#parts;
    const rules = this.#rules();
    const isAdmitted = this.#listed(tool.name).every((one) => isCallable(one, rules));
    if (!isAdmitted) doubts.addTool(tool.name, 'not called, because it may change existing data');
    return isAdmitted;
  }

  wouldSend(name: string, values: Arguments): boolean {
    return this.#decideCall(name, values).leave !== 'withhold';
  }

  isReadMethod(method: string): boolean {
    return READ_METHODS.has(method) || this.#own.isContainedIn(method);
  }

  async call(
    connection: TargetConnection,
    params: unknown,
    options?: CallOptions,
  ): Promise<RpcOutcome> {
    const { doubts } = this.#parts;
    const { name, values } = readCall(params);
    const judged = this.#decideCall(name, values);
    if (judged.leave === 'withhold') {
      doubts.addTool(shortName(name), `a call was withheld: ${judged.why}`);
      return withheldOutcome(judged.why);
    }
    if (judged.leave === 'prove' && !(await this.#isProven(connection, name, values))) {
      doubts.addTool(shortName(name), 'it accepts any name, so no existing one was sent');
      return withheldOutcome('it accepts any name');
    }
    const outcome = await connection.request(CALL, params, options);
    this.#recordCall(name, values, outcome);
    this.#countAnswer(name, outcome);
    return outcome;
  }

  faultOfExchange({ method, body = '' }: RawExchange): string | undefined {
    if (!HTTP_METHODS.has(method.toUpperCase())) return `the method ${method} may change something`;
    const messages = parseMessages(body);
    if (messages === undefined) {
      return body.includes('tools') ? 'an unreadable body may call a tool' : undefined;
    }
    const faults = messages.map((message) => this.#faultOfMessage(message));
    return faults.find((fault) => fault !== undefined);
  }

  #faultOfMessage(message: unknown): string | undefined {
    if (!isObject(message)) return undefined;
    const { method, params } = message;
    if (typeof method !== 'string' || this.isReadMethod(method) || MESSAGE_METHODS.has(method)) {
      return undefined;
    }
    if (method !== CALL) return `the method ${method.slice(0, 60)} may change something`;
    const { name, values } = readCall(params);
    const judged = this.#decideCall(name, values);
    if (judged.leave === 'send') this.ledger.recordCall(shortName(name), values, this.#own);
    return judged.leave === 'send' ? undefined : 'it may change something';
  }

  /** If two definitions share a name, the stricter decision applies. */
  #decideCall(name: unknown, values: unknown) {
    const rules = this.#rules();
    const listed = this.#listed(name);
    if (typeof name !== 'string' || this.#own.isContainedIn(name))
      return decideCallPermission(NONEXISTENT_TOOL, values, rules);
    const asked = listed.length === 0 ? [{ name }] : listed;
    const isGuess = listed.length === 0 && asked.some((tool) => classifyTool(tool) === 'writer');
    if (isGuess && !asked.some((tool) => isRemoving(tool)) && !RUNNER_NAMES.test(name))
      return WITHHELD_GUESS;
    const judged = asked.map((tool) => decideCallPermission(tool, values, rules));
    const strictest = ['withhold', 'prove', 'send'] as const;
    const found = strictest.map((leave) => judged.find((one) => one.leave === leave));
    return found.find((one) => one !== undefined) ?? ({ leave: 'send' } as const);
  }

  async #isProven(connection: TargetConnection, name: unknown, values: unknown): Promise<boolean> {
    const [tool = { name: shortName(name) }] = this.#listed(name);
    const proving = createProvingCall(values, tool, this.#rules());
    const key = `${shortName(name)}/${proving.places.join('/')}`;
    const known = this.#proven.get(key);
    if (known !== undefined) return known;
    const isProven = await isReaderProven(connection, name, proving.values);
    if (!isProven) this.ledger.recordCall(shortName(name), proving.values, this.#own);
    this.#proven.set(key, isProven);
    return isProven;
  }

  #recordCall(name: unknown, values: unknown, outcome: RpcOutcome): void {
    const listed = this.#listed(name);
    const keepsNothing = listed.every(
      (tool) => classifyTool(tool) === 'reader' || isRemoving(tool),
    );
    // A tool that does not know the name, or does not exist, has stored nothing.
    if (keepsNothing)
      this.ledger.recordReaderCall(shortName(name), values, { own: this.#own, outcome });
    else this.ledger.recordCall(shortName(name), values, this.#own);
  }

  #countAnswer(name: unknown, outcome: RpcOutcome): void {
    const isFault = outcome.kind === 'refused' && (outcome.status >= 500 || outcome.status === 429);
    if (outcome.kind !== 'silent' && outcome.kind !== 'broken' && !isFault) {
      this.#answered += 1;
    } else {
      this.#unanswered += 1;
      this.#parts.doubts.addTool(shortName(name), 'a call had no answer');
    }
  }

  #listed(name: unknown): readonly Definition[] {
    return this.#parts.tools.filter((tool) => tool.name === name);
  }

  #rules(): CallRules {
    const { allowWrites, listeners } = this.#parts;
    return { own: this.#own, allowWrites, listeners };
  }
}

function readCall(params: unknown): { readonly name: unknown; readonly values: unknown } {
  if (!isObject(params)) return { name: undefined, values: params };
  return { name: params['name'], values: params['arguments'] };
}

function shortName(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 100) : 'a tool without a name';
}

/** Returns the messages of a body; `undefined` if it is not valid JSON. */
function parseMessages(body: string): readonly unknown[] | undefined {
  if (body === '') return [];
  try {
    const read = JSON.parse(body) as unknown;
    return Array.isArray(read) ? read : [read];
  } catch {
    return undefined;
  }
}

function withheldOutcome(why: string): RpcOutcome {
  return { kind: 'broken', reason: `withheld: ${why}`, ms: 0, raw: '', sent: '' };
}
