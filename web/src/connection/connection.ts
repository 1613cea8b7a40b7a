import { type ReadonlySignal, signal } from '@preact/signals';
import type { Json } from '../../../src/domain/common/json.ts';
import type { Action, ClientMessage, Reading, Topic } from '../../../src/domain/inspect/message.ts';
import type { HelloFrame, Push, ServerMessage } from '../../../src/domain/inspect/wire.ts';
import { Refusal } from './refusal.ts';
import type { Outside, Socket } from './socket.ts';
import { type Listener, Subscription, type TopicOf } from './topic.ts';

/** How the line to the server is. Times are milliseconds since 1970. */
export type ConnectionState =
  | { readonly name: 'connecting' }
  | { readonly name: 'live' }
  | { readonly name: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly name: 'signed-out' };

/** First and longest wait before the next try, in milliseconds; each wait doubles the last. */
export const BACK_OFF_MS = { first: 250, longest: 5000 } as const;
/** How long an answer may take before the line counts as broken, in milliseconds. */
export const ANSWER_TIMEOUT_MS = 15_000;
/** How long a question for life may take, in milliseconds. */
export const PROBE_TIMEOUT_MS = 4000;
const NORMAL_CLOSURE = 1000;

interface Waiting {
  readonly message: ClientMessage;
  done(result: Json): void;
  fail(refusal: Refusal): void;
}

/**
 * The one line of a page to `/inspect`. It opens again by itself after a break: subscriptions go on
 * where their rows stopped, readings are asked again, actions are not.
 */
export class Connection {
  readonly #outside: Outside;
  readonly #state = signal<ConnectionState>({ name: 'connecting' });
  readonly #hello = signal<HelloFrame | null>(null);
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #waiting = new Map<number, Waiting>();
  #socket: Socket | null = null;
  #isOpen = false;
  #isWanted = false;
  #lastId = 0;
  #tries = 0;
  #lostAt: number | null = null;
  #cancelRetry = (): void => {};
  #cancelProbe = (): void => {};

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  /** How the line is now. */
  get state(): ReadonlySignal<ConnectionState> {
    return this.#state;
  }

  /** What the server said of itself; `null` before the first hello. */
  get hello(): ReadonlySignal<HelloFrame | null> {
    return this.#hello;
  }

  /** Connects, or tries again at once. Safe to repeat. */
  start(): void {
    this.#isWanted = true;
    this.#cancelRetry();
    if (this.#socket === null) this.#open();
  }

  /** Disconnects and stays signed out until `start`. */
  stop(): void {
    this.#isWanted = false;
    this.#cancelRetry();
    this.#drop();
    this.#failActions();
    this.#signOut();
  }

  /**
   * Begins a subscription, now or as soon as the line is open.
   *
   * @returns Ends it.
   */
  subscribe<Name extends Topic['name']>(
    topic: TopicOf<Name>,
    listener: Listener<Name>,
  ): () => void {
    const id = this.#nextId();
    // A subscription hands frames on to the listener of its own topic alone.
    const subscription = new Subscription(topic, listener as Listener<Topic['name']>);
    this.#begin(id, subscription);
    return () => this.#end(subscription);
  }

  /**
   * Reads once. After a break the question is asked again.
   *
   * @throws {Refusal} What the server refused.
   */
  read(reading: Reading): Promise<Json> {
    return this.#ask((id) => ({ id, op: 'read', reading }));
  }

  /**
   * Does what a person has confirmed. Never asked twice: when the line breaks before the answer, it
   * fails with `CONNECTION_LOST`, and whether it was done must be looked up.
   *
   * @throws {Refusal} What the server refused, or `CONNECTION_LOST`.
   */
  act(action: Action): Promise<Json> {
    if (!this.#isOpen) return Promise.reject(new Refusal(NOT_SENT));
    return this.#ask((id) => ({ id, op: 'act', action, confirmed: true }));
  }

  /**
   * Asks for a sign of life; a line that gives none is opened anew. For the moment in which a page
   * is looked at again after a sleep.
   */
  probe(): void {
    if (!this.#isOpen) {
      if (this.#isWanted) this.start();
      return;
    }
    const id = this.#nextId();
    this.#cancelProbe();
    this.#cancelProbe = this.#outside.after(PROBE_TIMEOUT_MS, () => this.#lose());
    // Any answer will do; ending what was never begun costs the server nothing.
    this.#send({ id, op: 'unsubscribe', sub: id });
  }

  #ask(messageOf: (id: number) => ClientMessage): Promise<Json> {
    const id = this.#nextId();
    return new Promise((done, fail) => {
      const cancel = this.#outside.after(ANSWER_TIMEOUT_MS, () => {
        if (this.#isOpen && this.#waiting.has(id)) this.#lose();
      });
      this.#waiting.set(id, {
        message: messageOf(id),
        done: (result) => {
          cancel();
          done(result);
        },
        fail: (refusal) => {
          cancel();
          fail(refusal);
        },
      });
      if (this.#isOpen) this.#send(messageOf(id));
    });
  }

  #begin(id: number, subscription: Subscription): void {
    this.#subscriptions.set(id, subscription);
    if (this.#isOpen) this.#send({ id, op: 'subscribe', topic: subscription.topic });
  }

  #end(subscription: Subscription): void {
    for (const [id, one] of this.#subscriptions) {
      if (one !== subscription) continue;
      this.#subscriptions.delete(id);
      if (this.#isOpen) this.#send({ id: this.#nextId(), op: 'unsubscribe', sub: id });
    }
  }

  #open(): void {
    const socket = this.#outside.open();
    this.#socket = socket;
    if (this.#lostAt === null) this.#state.value = { name: 'connecting' };
    socket.onopen = () => this.#opened();
    socket.onmessage = ({ data }) => this.#take(data);
    socket.onclose = () => {
      if (this.#socket === socket) void this.#closed();
    };
  }

  #opened(): void {
    this.#isOpen = true;
    this.#tries = 0;
    this.#lostAt = null;
    this.#state.value = { name: 'live' };
    // Ids are used once: what goes on gets new ones.
    const subscriptions = [...this.#subscriptions.values()];
    this.#subscriptions.clear();
    for (const one of subscriptions) this.#begin(this.#nextId(), one);
    for (const { message } of this.#waiting.values()) this.#send(message);
  }

  async #closed(): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#drop();
    this.#failActions();
    if (!this.#isWanted) return;
    this.#lostAt ??= this.#outside.now();
    // A line that could not be opened may be refused: the token is another, or the entry is over.
    const admission = wasOpen ? 'unknown' : await this.#outside.mayConnect();
    if (!this.#isWanted || this.#socket !== null) return;
    if (admission === 'no') this.#signOut();
    else this.#retry();
  }

  #signOut(): void {
    this.#isWanted = false;
    this.#lostAt = null;
    this.#tries = 0;
    this.#state.value = { name: 'signed-out' };
  }

  #retry(): void {
    const backOffMs = Math.min(BACK_OFF_MS.first * 2 ** this.#tries, BACK_OFF_MS.longest);
    // From half of it to the whole, so that many pages do not come back in one moment.
    const delayMs = backOffMs * (0.5 + this.#outside.chance() / 2);
    this.#tries += 1;
    const now = this.#outside.now();
    this.#state.value = { name: 'lost', since: this.#lostAt ?? now, retryAt: now + delayMs };
    this.#cancelRetry = this.#outside.after(delayMs, () => {
      if (this.#isWanted && this.#socket === null) this.#open();
    });
  }

  /** The line is dead though nobody closed it. */
  #lose(): void {
    const socket = this.#socket;
    if (socket === null) return;
    void this.#closed();
    socket.close(NORMAL_CLOSURE);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    this.#cancelProbe();
    if (socket === null) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    if (!this.#isWanted) socket.close(NORMAL_CLOSURE);
  }

  #failActions(): void {
    for (const [id, { message, fail }] of this.#waiting) {
      if (message.op !== 'act') continue;
      this.#waiting.delete(id);
      fail(new Refusal(UNCLEAR));
    }
  }

  #take(data: unknown): void {
    this.#cancelProbe();
    if (typeof data !== 'string') return;
    // The server is ours and speaks the words of `wire.ts`; no third party stands between.
    const message = JSON.parse(data) as ServerMessage;
    if ('sub' in message) this.#takePush(message);
    else if (message.ok) this.#settle(message.id)?.done(message.result);
    else this.#refused(message.id, new Refusal(message.error));
  }

  #takePush(push: Push): void {
    if (push.kind === 'frame' && push.frame.topic === 'hello') {
      this.#hello.value = push.frame;
      return;
    }
    this.#subscriptions.get(push.sub)?.take(push);
    if (push.kind === 'ended') this.#subscriptions.delete(push.sub);
  }

  #refused(id: number, refusal: Refusal): void {
    this.#settle(id)?.fail(refusal);
    const { code, message } = refusal;
    this.#subscriptions.get(id)?.refuse({ code, message });
    this.#subscriptions.delete(id);
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #send(message: ClientMessage): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

const NOT_SENT = {
  code: 'CONNECTION_LOST',
  message: 'The server cannot be reached now; nothing was sent.',
} as const;
const UNCLEAR = {
  code: 'CONNECTION_LOST',
  message: 'The line broke before the answer. Look whether it was done before you repeat it.',
} as const;
