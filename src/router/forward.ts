import type { Field, Framing, RequestHead, ResponseHead } from './head.ts';

/** Fields that end at every hop (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'upgrade',
]);
/** What the router alone says about the caller; from outside it is dropped. */
const TOLD_BY_ROUTER = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
]);

/** The head that the instance gets: who asked, and nothing that was meant for the router. */
export function forwardRequest(head: RequestHead, caller: string): string {
  const lines = [`${head.method} ${head.target} HTTP/1.${head.minor}`];
  for (const field of head.fields) {
    if (!isDropped(field, head.hops) && !TOLD_BY_ROUTER.has(field.name)) lines.push(field.line);
  }
  lines.push(
    `X-Forwarded-For: ${caller}`,
    `X-Forwarded-Host: ${head.authority}`,
    'X-Forwarded-Proto: http',
  );
  if (head.upgrade !== undefined) lines.push('Connection: Upgrade', `Upgrade: ${head.upgrade}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The head that the client gets. */
export function forwardResponse(
  head: ResponseHead,
  client: { readonly keepsAlive: boolean },
): string {
  const lines = [`HTTP/1.1 ${head.status} ${head.reason}`];
  for (const field of head.fields) if (!isDropped(field, head.hops)) lines.push(field.line);
  if (head.status === 101) {
    const protocol = head.fields.find(({ name }) => name === 'upgrade')?.value ?? '';
    lines.push('Connection: Upgrade', `Upgrade: ${protocol}`);
  } else if (head.status >= 200) {
    lines.push(client.keepsAlive ? 'Connection: keep-alive' : 'Connection: close');
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** An answer of the router itself, in plain text. */
export interface OwnAnswer {
  readonly status: number;
  readonly text: string;
  readonly fields?: readonly string[];
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

/** The bytes of an answer of the router itself. */
export function ownAnswer(
  { status, text, fields = [] }: OwnAnswer,
  to: { readonly method: string; readonly keepsAlive: boolean },
): string {
  const body = `${text}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...fields,
    to.keepsAlive ? 'Connection: keep-alive' : 'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${to.method === 'HEAD' ? '' : body}`;
}

/** Whether a request may be sent again after an instance hung up without a word. */
export function isRepeatable(method: string, framing: Framing): boolean {
  return framing.kind === 'none' && ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'].includes(method);
}

function isDropped({ name }: Field, hops: readonly string[]): boolean {
  return HOP_BY_HOP.has(name) || hops.includes(name);
}
