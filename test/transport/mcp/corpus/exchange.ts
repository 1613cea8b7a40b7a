import { type RpcAnswer, readMessages } from '../wire.ts';

/** One request of a corpus. `$session` in a header stands for the id of the session. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or text that is sent as it is. */
  readonly body?: unknown;
}

/** What came back, in the parts that a client goes by. */
export interface Came {
  readonly status: number;
  /** `json`, `stream`, `empty`, or what else it was. */
  readonly form: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly messages: readonly RpcAnswer[];
}

const SEEN_HEADERS = ['allow', 'cache-control', 'payment-required', 'payment-response'];
const ANSWER_MS = 60_000;

/** Sends one request to a server and reads the whole answer. */
export async function exchange(
  server: { readonly baseUrl: string },
  sent: Sent,
  session: string,
): Promise<Came> {
  const { method, path, body } = sent;
  const headers = Object.fromEntries(
    Object.entries(sent.headers).map(([name, value]) => [name, value.replace('$session', session)]),
  );
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers,
    signal: AbortSignal.timeout(ANSWER_MS),
    ...(text === undefined ? {} : { body: text }),
  });
  return readAnswer(response);
}

async function readAnswer(response: Response): Promise<Came> {
  const type = response.headers.get('content-type') ?? '';
  const isStream = type.startsWith('text/event-stream');
  const text = isStream ? '' : await response.text();
  return {
    status: response.status,
    form: isStream ? 'stream' : formOf(type, text),
    headers: seen(response.headers, isStream),
    messages: isStream ? await readMessages(response) : messagesIn(type, text),
  };
}

function formOf(type: string, text: string): string {
  if (text === '') return 'empty';
  return type.startsWith('application/json') ? 'json' : type;
}

function messagesIn(type: string, text: string): readonly RpcAnswer[] {
  if (text === '' || !type.startsWith('application/json')) return [];
  const value: unknown = JSON.parse(text);
  return (Array.isArray(value) ? value : [value]) as RpcAnswer[];
}

function seen(headers: Headers, isStream: boolean): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of SEEN_HEADERS) {
    const value = headers.get(name);
    // Every stream says the same of caching.
    if (value !== null && !(isStream && name === 'cache-control')) found[name] = value;
  }
  if (headers.get('mcp-session-id') !== null && !isStream) found['mcp-session-id'] = 'given';
  return found;
}
