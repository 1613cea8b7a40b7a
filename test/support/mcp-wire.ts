import type { FrontRig } from './front-rig.ts';

/** A JSON-RPC message as it came: an answer or, with `method`, a notification. */
export interface WireAnswer {
  readonly id: unknown;
  readonly method?: string;
  readonly params?: { readonly progress: number };
  readonly result: WireResult;
  readonly error?: { readonly code: number; readonly message: string };
}

/** The members of results that tests of the front look at. */
export interface WireResult {
  readonly protocolVersion: string;
  readonly capabilities: unknown;
  readonly serverInfo: { readonly name: string };
  readonly tools: readonly { readonly name: string }[];
  readonly resourceTemplates: readonly unknown[];
  readonly contents: readonly [{ readonly text: string }];
  readonly content: readonly [{ readonly text: string }];
  readonly structuredContent: unknown;
  readonly isError: boolean;
  readonly _meta: Readonly<Record<string, unknown>>;
}

/** One server-sent event. */
export interface WireEvent {
  readonly id?: string;
  readonly data: string;
}

/** What a request may bring beside its body. */
export interface WireOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const POLL_MS = 5;
const HANG_MS = 10_000;

/** A client of the front that hides nothing: plain requests, whole responses. */
export class Wire {
  sessionId: string | undefined;
  /** Sent with every request. */
  headers: Readonly<Record<string, string>> = {};
  readonly #rig: FrontRig;
  readonly #path: string;
  #lastId = 0;

  constructor(rig: FrontRig, path = '/v1/mcp') {
    this.#rig = rig;
    this.#path = path;
  }

  /** Greets, and keeps the session if one was given. */
  async open(protocolVersion = '2025-11-25'): Promise<WireAnswer> {
    const clientInfo = { name: 'wire', version: '1' };
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const response = await this.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    this.sessionId = response.headers.get('mcp-session-id') ?? undefined;
    return (await response.json()) as WireAnswer;
  }

  /** Asks one thing and reads the plain answer. */
  async ask(method: string, params: object = {}, id: unknown = this.#next()): Promise<WireAnswer> {
    const response = await this.post({ jsonrpc: '2.0', id, method, params });
    return (await response.json()) as WireAnswer;
  }

  /** Calls a tool. */
  call(
    name: string,
    args: object = {},
    more: WireOptions & { readonly id?: number; readonly meta?: object } = {},
  ): Promise<Response> {
    const { id = this.#next(), meta, ...options } = more;
    const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
    return this.post({ jsonrpc: '2.0', id, method: 'tools/call', params }, options);
  }

  /** Posts a body: a text as it is, anything else as JSON. */
  post(body: unknown, { headers, signal }: WireOptions = {}): Promise<Response> {
    return fetch(this.#url(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.#own(),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  /** Any other request, without a body. */
  plain(
    method: string,
    headers: Readonly<Record<string, string>> = {},
    signal?: AbortSignal,
  ): Promise<Response> {
    return fetch(this.#url(), {
      method,
      headers: { accept: 'text/event-stream', ...this.#own(), ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #url(): string {
    return `${this.#rig.baseUrl}${this.#path}`;
  }

  #own(): Readonly<Record<string, string>> {
    const { sessionId } = this;
    return { ...this.headers, ...(sessionId === undefined ? {} : { 'mcp-session-id': sessionId }) };
  }

  #next(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

/** Reads the events of a stream as they come; comments are left out. */
export async function* readEvents(response: Response): AsyncGenerator<WireEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Reads the messages of a stream until it ends. */
export async function readMessages(response: Response): Promise<readonly WireAnswer[]> {
  const messages: WireAnswer[] = [];
  for await (const { data } of readEvents(response)) {
    if (data !== '') messages.push(JSON.parse(data) as WireAnswer);
  }
  return messages;
}

/** Lets some time pass in which nothing should happen, or something may. */
export function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until a claim holds; ten seconds at the most. */
export async function until(claim: () => boolean): Promise<void> {
  const end = Date.now() + HANG_MS;
  while (!claim()) {
    if (Date.now() > end) throw new Error('it has not come true within ten seconds');
    await quiet(POLL_MS);
  }
}

function readEvent(block: string): WireEvent | undefined {
  const lines = block.split('\n').map((line) => line.replace(/\r$/, ''));
  const field = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
  const data = field('data');
  if (data.length === 0) return undefined;
  const [id] = field('id');
  return { ...(id === undefined ? {} : { id }), data: data.join('\n') };
}
