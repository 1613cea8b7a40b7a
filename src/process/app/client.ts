/**
 * The client of an app that another process serves. It needs nothing but `fetch`, so it also runs
 * in browsers.
 *
 * @module
 */

import type {
  DurableActor,
  DurableActors,
  InputArgs,
  Machines,
} from '../../runtime/durable/durable-types.ts';
import type { Ack, EffectResult, ListQuery, ListRow, Page } from '../../runtime/engine/types.ts';
import type { ApiErrorBody, ApiResult } from './api-types.ts';

type AnyMachine = Machines[string];

/** Longest wait of one request for a result, in milliseconds; the client repeats it. */
const WAIT_MS = 25_000;

/** Options of `createClient`. */
export interface ClientOptions {
  /** Base URL that `serve` returned. */
  readonly url: string;
  readonly token?: string;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** An error that the API returned. `code` is that of the local call, such as `ACTOR_CLOSED`. */
export class RemoteError extends Error {
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(status: number, { error, message, data = {} }: ApiErrorBody) {
    super(message);
    this.name = 'RemoteError';
    this.code = error;
    this.status = status;
    this.data = data;
  }
}

/** Options of calls that may be repeated. */
export interface RemoteCreateOptions {
  /** A repeat with the same key on the same actor has no effect. */
  readonly idempotencyKey?: string;
}

/** Options of `RemoteActor.send`. */
export interface RemoteSendOptions extends RemoteCreateOptions {
  /** Rejects with `SEQ_CONFLICT` unless the actor is at this row. */
  readonly expectSeq?: number;
}

/** Options of `RemoteActor.result`. */
export interface RemoteWait {
  /** Milliseconds after which it rejects with `ASK_TIMEOUT`. Default: none. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** An actor of another process, typed as a local one. */
export interface RemoteActor<M extends AnyMachine>
  extends Pick<DurableActor<M>, 'id' | 'query' | 'stop'> {
  /** @throws {RemoteError} */
  send(event: Parameters<DurableActor<M>['send']>[0], o?: RemoteSendOptions): Promise<Ack>;
  /** Waits for the end and returns the output. @throws {RemoteError} */
  result(o?: RemoteWait): ReturnType<DurableActor<M>['result']>;
}

/** The actors of one kind in another process. */
export interface RemoteActors<M extends AnyMachine> {
  /** Creates an actor; a repeat with the same id returns the same one. @throws {RemoteError} */
  start(
    id: string,
    ...args: InputArgs<M, [options?: RemoteCreateOptions]>
  ): Promise<RemoteActor<M>>;
  get(id: string): RemoteActor<M>;
  /** @throws {RemoteError} */
  list(query?: Omit<ListQuery, 'kind'>): Promise<Page<ListRow>>;
}

/** A client of an app: one member per kind. */
export type AppClient<App> = {
  readonly [Name in keyof App as App[Name] extends DurableActors<infer _M>
    ? Name
    : never]: App[Name] extends DurableActors<infer M> ? RemoteActors<M> : never;
} & {
  /** Ends an effect that waits for its result. @throws {RemoteError} */
  readonly complete: (effectToken: string, result: EffectResult) => Promise<Ack>;
};

/**
 * Creates a client of an app that another process serves. Events, inputs, views and results have
 * the types of the app.
 *
 * @example
 * import type { app } from 'shop';
 * const client = createClient<typeof app>({ url: 'http://127.0.0.1:8080' });
 * const order = await client.order.start('1', { item: 'lamp' });
 */
export function createClient<App>(options: ClientOptions): AppClient<App> {
  const call = createCall(options);
  const complete = (token: string, result: EffectResult) => {
    return call('POST', 'effects', { body: { token, ...result } });
  };
  const client = new Proxy({ complete } as Record<string, unknown>, {
    get: (own, name) => {
      // An app that is awaited must not look like a promise.
      if (typeof name !== 'string' || name === 'then') return undefined;
      own[name] ??= createActors(call, name);
      return own[name];
    },
  });
  return client as AppClient<App>;
}

interface Sent {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Call = <T>(method: 'GET' | 'POST', path: string, sent?: Sent) => Promise<T>;

function createCall({ url, token, fetch: send = fetch }: ClientOptions): Call {
  const base = url.endsWith('/') ? url.slice(0, -1) : url;
  const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return async <T>(method: string, path: string, sent: Sent = {}): Promise<T> => {
    const response = await send(`${base}/${path}${toSearch(sent)}`, {
      method,
      ...toInit(sent, credentials),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as T;
    throw toRemoteError(response.status, text);
  };
}

function toSearch({ query = {} }: Sent): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search.toString()}`;
}

function toInit({ body, key, signal }: Sent, credentials: Readonly<Record<string, string>>) {
  return {
    headers: {
      ...credentials,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** A proxy in between may answer with anything. */
function toRemoteError(status: number, text: string): RemoteError {
  try {
    const body = JSON.parse(text) as Partial<ApiErrorBody>;
    const { error, message, data = {} } = body;
    if (typeof error === 'string' && typeof message === 'string') {
      return new RemoteError(status, { error, message, data });
    }
  } catch {
    // Not JSON: the text itself is the message.
  }
  return new RemoteError(status, {
    error: 'HTTP_ERROR',
    message: `HTTP ${status}: ${text.trim()}`,
  });
}

function createActors(call: Call, kind: string): RemoteActors<AnyMachine> {
  const path = `kinds/${encodeURIComponent(kind)}`;
  return {
    start: async (id, input?: unknown, options: RemoteCreateOptions = {}) => {
      await call('POST', path, { body: { id, input }, key: options.idempotencyKey });
      return createActor(call, path, id);
    },
    get: (id) => createActor(call, path, id),
    list: ({ where, descending, ...query } = {}) =>
      call('GET', path, {
        query: {
          ...query,
          where: where === undefined ? undefined : JSON.stringify(where),
          descending: descending === true ? 'true' : undefined,
        },
      }),
  };
}

function createActor(call: Call, kindPath: string, id: string): RemoteActor<AnyMachine> {
  const path = `${kindPath}/${encodeURIComponent(id)}`;
  return {
    id,
    send: (event, { idempotencyKey, expectSeq } = {}) =>
      call('POST', `${path}/events`, {
        body: event,
        key: idempotencyKey,
        query: { expect_seq: expectSeq },
      }),
    query: () => call('GET', path),
    stop: () => call('POST', `${path}/stop`),
    result: async ({ timeoutMs = Number.POSITIVE_INFINITY, signal } = {}) => {
      const end = performance.now() + timeoutMs;
      for (;;) {
        const waitMs = Math.floor(Math.min(WAIT_MS, Math.max(0, end - performance.now())));
        const query = { wait_ms: waitMs };
        const result = await call<ApiResult>('GET', `${path}/result`, { query, signal });
        if (result.status === 'done') return result.output as never;
        if (performance.now() >= end) throw timeoutError(id, timeoutMs);
      }
    },
  };
}

function timeoutError(id: string, timeoutMs: number): RemoteError {
  const message = `${id} has not ended after ${timeoutMs} ms.`;
  return new RemoteError(202, { error: 'ASK_TIMEOUT', message, data: { id, timeoutMs } });
}
