import { isObject, tryParseJson } from '../common/json.ts';

/** The message endpoint of an agent and its A2A dialect. */
export interface MessageEndpoint {
  /** Path and query on the origin of the agent card. */
  readonly path: string;
  /** Dialect `0.3` uses the method `message/send`, `1.0` uses `SendMessage`. */
  readonly dialect: '0.3' | '1.0';
}

/** The reason why a card has no endpoint that may be called. */
export interface MissingEndpoint {
  readonly reason: string;
}

/** Finds the JSON-RPC message endpoint in an agent card. Only the origin of the card is allowed. */
export function findEndpoint(
  card: Readonly<Record<string, unknown>>,
  origin: string,
): MessageEndpoint | MissingEndpoint {
  const found = findCurrentInterface(card) ?? findLegacyInterface(card);
  if (found === undefined) return { reason: 'the card has no JSON-RPC message endpoint' };
  if (!URL.canParse(found.url)) return { reason: 'the endpoint in the card is not a URL' };
  const url = new URL(found.url);
  if (url.origin !== origin) {
    return { reason: `messages go to ${url.origin}, which is not the origin that gave consent` };
  }
  return { path: `${url.pathname}${url.search}`, dialect: found.dialect };
}

/** Builds the JSON-RPC request that sends one text to an agent. */
export function buildMessageRequest(text: string, id: string, dialect: MessageEndpoint['dialect']) {
  const rpc = { jsonrpc: '2.0', id } as const;
  if (dialect === '1.0') {
    const message = { messageId: id, role: 'ROLE_USER', parts: [{ text }] };
    return { ...rpc, method: 'SendMessage', params: { message } };
  }
  const message = { kind: 'message', messageId: id, role: 'user', parts: [{ kind: 'text', text }] };
  return { ...rpc, method: 'message/send', params: { message, configuration: { blocking: true } } };
}

/**
 * Extracts the text of an agent's response: message, status and artifacts. `undefined` if the body
 * is not a JSON-RPC response. `isError` marks an error or a failed task.
 */
export function readMessageAnswer(
  body: string,
): { readonly text: string; readonly isError: boolean } | undefined {
  const answer = tryParseJson(body);
  if (!isObject(answer)) return undefined;
  if (isObject(answer['error'])) {
    const { message, data } = answer['error'];
    return {
      text: [message, data === undefined ? '' : JSON.stringify(data)].join('\n'),
      isError: true,
    };
  }
  if (!isObject(answer['result'])) return undefined;
  const { history: _, ...result } = unwrapResult(answer['result']);
  const { status } = result;
  const state = isObject(status) ? String(status['state']).toLowerCase() : '';
  return { text: collectTexts(result).join('\n'), isError: /failed|rejected/.test(state) };
}

type Interface = { readonly url: string; readonly dialect: MessageEndpoint['dialect'] };

function findCurrentInterface({ supportedInterfaces: listed }: Readonly<Record<string, unknown>>) {
  if (!Array.isArray(listed)) return undefined;
  const rows: readonly unknown[] = listed;
  const row = rows.filter(isObject).find(({ protocolBinding }) => protocolBinding === 'JSONRPC');
  if (typeof row?.['url'] !== 'string') return undefined;
  const isOld = String(row['protocolVersion']).startsWith('0.');
  return { url: row['url'], dialect: isOld ? '0.3' : '1.0' } satisfies Interface;
}

function findLegacyInterface(card: Readonly<Record<string, unknown>>): Interface | undefined {
  const { url, preferredTransport = 'JSONRPC', additionalInterfaces } = card;
  if (typeof url === 'string' && preferredTransport === 'JSONRPC') return { url, dialect: '0.3' };
  const rows: readonly unknown[] = Array.isArray(additionalInterfaces) ? additionalInterfaces : [];
  const row = rows.filter(isObject).find(({ transport }) => transport === 'JSONRPC');
  return typeof row?.['url'] === 'string' ? { url: row['url'], dialect: '0.3' } : undefined;
}

/** Version 1.0 wraps the result in a member named after its kind. */
function unwrapResult(
  result: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  for (const name of ['message', 'task']) {
    const inner = result[name];
    if (isObject(inner)) return inner;
  }
  return result;
}

/** Maximum depth at which texts are collected. */
const DEPTH_MAX = 8;

function collectTexts(value: unknown, depth = 0): readonly string[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((item) => collectTexts(item, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (name === 'text' && typeof member === 'string') return [member];
    if (name === 'data') return [JSON.stringify(member)];
    return collectTexts(member, depth + 1);
  });
}
