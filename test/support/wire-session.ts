/** An answer on the wire: status, headers and the JSON-RPC message. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly message: {
    readonly result?: Readonly<Record<string, unknown>>;
    readonly error?: { readonly code: number; readonly message: string };
  };
}

/** A session of MCP over HTTP, spoken by hand so that a test sees every byte of the answer. */
export interface WireSession {
  readonly protocolVersion: string;
  ask(
    method: string,
    params?: object,
    headers?: Readonly<Record<string, string>>,
    /** Drops the call. */
    signal?: AbortSignal,
  ): Promise<WireAnswer>;
}

const HANG_MS = 60_000;
const VERSION = '2025-11-25';

/** Begins a session at an address. */
export async function openWire(url: string, version = VERSION): Promise<WireSession> {
  const hello = await post(url, request(0, 'initialize', greeting(version)), {});
  const sessionId = hello.headers.get('mcp-session-id') ?? '';
  const protocolVersion = String(hello.message.result?.['protocolVersion']);
  const own = { 'mcp-session-id': sessionId, 'mcp-protocol-version': protocolVersion };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, own);
  let id = 0;
  return {
    protocolVersion,
    ask: (method, params = {}, headers = {}, signal?) => {
      id += 1;
      return post(url, request(id, method, params), { ...own, ...headers }, signal);
    },
  };
}

/** Sends one message outside any session. */
export function askWire(url: string, method: string, params: object = {}): Promise<WireAnswer> {
  return post(url, request(1, method, params), {});
}

/** What a client says first. */
export function greeting(protocolVersion: string): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 'wire', version: '1' } };
}

function request(id: number, method: string, params: object): object {
  return { jsonrpc: '2.0', id, method, params };
}

async function post(
  url: string,
  message: object,
  headers: Readonly<Record<string, string>>,
  dropped?: AbortSignal,
): Promise<WireAnswer> {
  const inTime = AbortSignal.timeout(HANG_MS);
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
    signal: dropped === undefined ? inTime : AbortSignal.any([inTime, dropped]),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, message: lastMessage(text) };
}

// On a stream the answer is the last event.
function lastMessage(text: string): WireAnswer['message'] {
  const data = text.split('\n').filter((line) => /^data: *\{/.test(line));
  const json = data.at(-1)?.replace(/^data: */, '') ?? text;
  return (json === '' ? {} : JSON.parse(json)) as WireAnswer['message'];
}
