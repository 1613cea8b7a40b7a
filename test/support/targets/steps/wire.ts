import { request } from 'node:http';
import type { RunningTarget, Values } from '../target.ts';

const ANSWER_MAX_MS = 10_000;

/** A raw answer of a target. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** What is sent; the rest is as a rightful client sends it. */
export interface WireRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request to a target, also with headers that a browser would not let pass. */
export function send(running: RunningTarget, sent: WireRequest): Promise<WireAnswer> {
  const { hostname, port } = new URL(running.url);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        hostname,
        port,
        method: sent.method ?? 'POST',
        path: sent.path ?? '/mcp',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...running.headers,
          ...sent.headers,
        },
        timeout: ANSWER_MAX_MS,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', reject);
    asked.end(sent.body);
  });
}

/** The answer to a message, as JSON or as an event of a stream. */
export function messageOf(answer: WireAnswer): Values {
  const lines = answer.text.split('\n').filter((line) => line.startsWith('data: {'));
  const texts = lines.length === 0 ? [answer.text] : lines.map((line) => line.slice(6));
  const messages = texts.flatMap((text) => {
    try {
      return [JSON.parse(text) as Values];
    } catch {
      return [];
    }
  });
  return messages.find((message) => 'result' in message || 'error' in message) ?? {};
}

/** What a tool answered, as one text with all that stands in it. */
export interface ToolText {
  readonly text: string;
  readonly isError: boolean;
}

/** A session with a target. */
export interface WireSession {
  readonly id: string;
  /** Everything that was said at the begin. */
  readonly greeting: Values;
  ask(method: string, params?: Values, id?: number): Promise<Values>;
  notify(method: string, params: Values): Promise<void>;
  list(): Promise<readonly Values[]>;
  call(tool: string, values: Values): Promise<ToolText>;
}

/** The message that begins a session. */
export function hello(): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'steps', version: '1' },
    },
  });
}

/** Begins a session as a rightful client. */
export async function begin(
  running: RunningTarget,
  headers: Readonly<Record<string, string>> = {},
): Promise<WireSession> {
  const answer = await send(running, { body: hello(), headers });
  if (answer.status !== 200) throw new Error(`initialize: ${answer.status} ${answer.text}`);
  const id = String(answer.headers['mcp-session-id'] ?? '');
  const session = sessionWith(running, id, { greeting: messageOf(answer), headers });
  await session.notify('notifications/initialized', {});
  return session;
}

/** A session under an id that may have been given or not. */
export function sessionWith(
  running: RunningTarget,
  id: string,
  more: { readonly greeting?: Values; readonly headers?: Readonly<Record<string, string>> } = {},
): WireSession {
  let count = 0;
  const headers = { ...more.headers, 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' };
  const ask: WireSession['ask'] = async (method, params = {}, number) => {
    count += 1;
    const body = { jsonrpc: '2.0', id: number ?? count, method, params };
    return messageOf(await send(running, { headers, body: JSON.stringify(body) }));
  };
  return {
    id,
    greeting: more.greeting ?? {},
    ask,
    notify: async (method, params) => {
      await send(running, { headers, body: JSON.stringify({ jsonrpc: '2.0', method, params }) });
    },
    list: async () => {
      const result = (await ask('tools/list'))['result'] as { tools?: Values[] } | undefined;
      return result?.tools ?? [];
    },
    call: async (name, values) => {
      const message = await ask('tools/call', { name, arguments: values });
      const result = message['result'] as Values | undefined;
      return {
        text: textsOf(message).join('\n'),
        isError: result === undefined || result['isError'] === true,
      };
    },
  };
}

/** Every text within a value. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...textsOf(member),
  ]);
}
