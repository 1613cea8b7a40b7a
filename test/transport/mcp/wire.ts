import type { FrontRig } from '../../support/front-rig.ts';

/** A JSON-RPC answer as a test reads it. */
export interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the same
  readonly params?: any;
}

/** One event of a stream. */
export interface StreamEvent {
  readonly id?: string;
  readonly data: string;
}

/** What a request may carry beside its body. */
export interface Extra {
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** What a call may carry beside its arguments. */
export interface CallExtra extends Extra {
  readonly id?: number | string;
  readonly meta?: object;
}

/** A client that knows nothing: it sends what it is told and shows what comes back. */
export class Wire {
  readonly rig: FrontRig;
  readonly path: string;
  sessionId: string | undefined;
  headers: Record<string, string> = {};

  constructor(rig: FrontRig, path = '/v1/mcp') {
    this.rig = rig;
    this.path = path;
  }

  /** Begins a session. */
  async open(version = '2025-11-25', capabilities: object = {}): Promise<RpcAnswer> {
    const response = await this.post({
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: { protocolVersion: version, capabilities, clientInfo: { name: 't', version: '1' } },
    });
    this.sessionId = response.headers.get('mcp-session-id') ?? undefined;
    return (await response.json()) as RpcAnswer;
  }

  /** Sends a body; an object is written as JSON. */
  post(body: unknown, extra: Extra = {}): Promise<Response> {
    return fetch(`${this.rig.baseUrl}${this.path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...extra,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.session(),
        ...extra.headers,
      },
    });
  }

  /** Sends a request and reads its plain answer. */
  async ask(method: string, params: object = {}, id: number | string = 1): Promise<RpcAnswer> {
    const response = await this.post({ jsonrpc: '2.0', id, method, params });
    return (await response.json()) as RpcAnswer;
  }

  /** Calls a tool. */
  call(name: string, input: object = {}, extra: CallExtra = {}): Promise<Response> {
    const { id = 1, meta, ...rest } = extra;
    const params = { name, arguments: input, ...(meta === undefined ? {} : { _meta: meta }) };
    return this.post({ jsonrpc: '2.0', id, method: 'tools/call', params }, rest);
  }

  /** Sends a request without a body. */
  plain(method: string, headers: Record<string, string> = {}, signal?: AbortSignal) {
    return fetch(`${this.rig.baseUrl}${this.path}`, {
      method,
      ...(signal === undefined ? {} : { signal }),
      headers: { accept: 'text/event-stream', ...this.session(), ...headers },
    });
  }

  private session(): Record<string, string> {
    const session = this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId };
    return { ...session, ...this.headers };
  }
}

/** Reads the events of a stream as they come. Comments are left out. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = readEvent(text.slice(0, end));
      text = text.slice(end + 2);
      if (event !== undefined) yield event;
    }
  }
}

/** Reads a whole stream. */
export async function allEvents(response: Response): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
}

/** Reads a whole stream: its messages, with the priming event left out. */
export async function readMessages(response: Response): Promise<RpcAnswer[]> {
  const events = await allEvents(response);
  return events.filter(({ data }) => data !== '').map(({ data }) => JSON.parse(data));
}

/** Waits until a claim holds, at most two seconds. */
export async function until(claim: () => boolean): Promise<void> {
  for (let tries = 0; tries < 400 && !claim(); tries += 1) await quiet(5);
}

/** Lets time pass. */
export function quiet(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function readEvent(block: string): StreamEvent | undefined {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trimStart();
  const data = field('data');
  const id = field('id');
  if (data === undefined) return undefined;
  return id === undefined ? { data } : { id, data };
}
