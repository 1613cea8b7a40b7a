import { type ReadonlySignal, signal } from '@preact/signals';
import type { Json } from '../../../src/domain/common/json.ts';
import type {
  Action,
  ClientMessage,
  ReadQuery,
  Topic,
} from '../../../src/domain/inspect/message.ts';
import type {
  HelloFrame,
  Push,
  ReadResults,
  ServerMessage,
} from '../../../src/domain/inspect/wire.ts';
import { RequestError } from './request-error.ts';
import type { ConnectionEnvironment, Socket } from './socket.ts';
import { type Listener, Subscription, type TopicOf } from './topic.ts';

/** State of the connection to the server. Times are in milliseconds since 1970. */
export type ConnectionState =
  | { readonly name: 'connecting' }
  | { readonly name: 'live' }
  | { readonly name: 'lost'; readonly since: number; readonly retryAt: number }
  | { readonly name: 'signed-out' };

/** First and longest delay before a reconnect, in milliseconds; each delay doubles the last. */
export const BACKOFF_MS = { first: 250, longest: 5000 } as const;
/** Time limit for an answer; after it, the connection counts as lost. In milliseconds. */
export const ANSWER_TIMEOUT_MS = 15_000;
/** Time limit for the answer to a probe, in milliseconds. */
export const PROBE_TIMEOUT_MS = 4000;
const NORMAL_CLOSURE = 1000;

interface PendingRequest {
  readonly message: ClientMessage;
  done(result: Json): void;
  fail(refusal: RequestError): void;
}

/**
 * The page's only connection to `/inspect`. Reconnects automatically: subscriptions resume at their
 * next row and reads are repeated, but actions are not.
 */
export class Connection {
  readonly #outside: ConnectionEnvironment;
  readonly #state = signal<ConnectionState>({ name: 'connecting' });
  readonly #hello = signal<HelloFrame | null>(null);
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #waiting = new Map<number, PendingRequest>();
  #socket: Socket | null = null;
  #isOpen = false;
  #isWanted = false;
  #lastId = 0;
  #tries = 0;
  #lostAt: number | null = null;
  #cancelRetry = (): void => {};
  #cancelProbe = (): void => {};

  constructor(outside: ConnectionEnvironment) {
    this.#outside = outside;
  }

  /** Current state of the connection. */
  get state(): ReadonlySignal<ConnectionState> {
    return this.#state;
  }

  /** The server's hello frame; `null` before the first one. */
  get hello(): ReadonlySignal<HelloFrame | null> {
    return this.#hello;
  }

  /** Connects, or retries at once. Safe to repeat. */
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
   * Starts a subscription, now or once the connection is open.
   *
   * @returns A function that ends the subscription.
   */
  subscribe<Name extends Topic['name']>(
    topic: TopicOf<Name>,
    listener: Listener<Name>,
  ): () => void {
    const id = this.#nextId();
    // Safe: a subscription passes only frames of its own topic to its listener.
    const subscription = new Subscription(topic, listener as Listener<Topic['name']>);
    this.#begin(id, subscription);
    return () => this.#end(subscription);
  }

  /**
   * Reads once; repeats the request after a reconnect.
   *
   * @throws {Refusal} If the server rejects the request.
   */
  read<Query extends ReadQuery>(reading: Query): Promise<ReadResults[Query['name']]> {
    return this.#ask((id) => ({ id, op: 'read', reading }));
  }

  /**
   * Runs an action that a person has confirmed. Never sends it twice. If the connection is lost
   * before the answer, it rejects with `CONNECTION_LOST`: the action may or may not have run.
   *
   * @throws {Refusal} If the server rejects the action, or with `CONNECTION_LOST`.
   */
  act(action: Action): Promise<Json> {
    if (!this.#isOpen) return Promise.reject(new RequestError(NOT_SENT_ERROR));
    return this.#ask((id) => ({ id, op: 'act', action, confirmed: true }));
  }

  /**
   * Checks that the connection is alive, and reconnects if not. Call it when the page becomes
   * visible again.
   */
  probe(): void {
    if (!this.#isOpen) {
      if (this.#isWanted) this.start();
      return;
    }
    const id = this.#nextId();
    this.#cancelProbe();
    this.#cancelProbe = this.#outside.schedule(PROBE_TIMEOUT_MS, () => this.#lose());
    // Any answer proves life; unsubscribing an unknown id costs the server nothing.
    this.#send({ id, op: 'unsubscribe', sub: id });
  }

  /** The server answers each message with the result that its protocol declares. */
  #ask<Result>(messageOf: (id: number) => ClientMessage): Promise<Result> {
    const id = this.#nextId();
    return new Promise((done, fail) => {
      const cancel = this.#outside.schedule(ANSWER_TIMEOUT_MS, () => {
        if (this.#isOpen && this.#waiting.has(id)) this.#lose();
      });
      this.#waiting.set(id, {
        message: messageOf(id),
        done: (result) => {
          cancel();
          done(result as Result);
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
    // Ids are used once, so resumed subscriptions get new ones.
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
    // If the socket never opened, the session may have expired or the token may have changed.
    const admission = wasOpen ? 'unknown' : await this.#outside.checkAdmission();
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
    const backOffMs = Math.min(BACKOFF_MS.first * 2 ** this.#tries, BACKOFF_MS.longest);
    // Jitter from half to the whole delay, so that many pages do not reconnect at once.
    const delayMs = backOffMs * (0.5 + this.#outside.random() / 2);
    this.#tries += 1;
    const now = this.#outside.now();
    this.#state.value = { name: 'lost', since: this.#lostAt ?? now, retryAt: now + delayMs };
    this.#cancelRetry = this.#outside.schedule(delayMs, () => {
      if (this.#isWanted && this.#socket === null) this.#open();
    });
  }

  /** Drops a connection that is dead but was not closed. */
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
      fail(new RequestError(OUTCOME_UNKNOWN_ERROR));
    }
  }

  #take(data: unknown): void {
    this.#cancelProbe();
    if (typeof data !== 'string') return;
    // Trusted: our own server sends the messages declared in `wire.ts`.
    const message = JSON.parse(data) as ServerMessage;
    if ('sub' in message) this.#takePush(message);
    else if (message.ok) this.#settle(message.id)?.done(message.result);
    else this.#refused(message.id, new RequestError(message.error));
  }

  #takePush(push: Push): void {
    if (push.kind === 'frame' && push.frame.topic === 'hello') {
      this.#hello.value = push.frame;
      return;
    }
    this.#subscriptions.get(push.sub)?.handlePush(push);
    if (push.kind === 'ended') this.#subscriptions.delete(push.sub);
  }

  #refused(id: number, refusal: RequestError): void {
    this.#settle(id)?.fail(refusal);
    const { code, message } = refusal;
    this.#subscriptions.get(id)?.reject({ code, message });
    this.#subscriptions.delete(id);
  }

  #settle(id: number): PendingRequest | undefined {
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

const NOT_SENT_ERROR = {
  code: 'CONNECTION_LOST',
  message: 'The server is not reachable. Your request was not sent.',
} as const;
const OUTCOME_UNKNOWN_ERROR = {
  code: 'CONNECTION_LOST',
  message: 'The connection was lost before the answer. Check whether it was done before you retry.',
} as const;
