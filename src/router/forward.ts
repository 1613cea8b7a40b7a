import type { Field } from './fields.ts';
import type { Framing, Head, RequestHead, ResponseHead } from './head.ts';

/** Common values of `Connection`: they name no fields, or only hop-by-hop ones. */
const COMMON_HOPS = new Set(['keep-alive', 'upgrade', 'te']);
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);
/** Up to this size, string concatenation is cheaper than a buffer. */
const TEXT_BYTES_MAX = 4_096;
const COLON = ':';

/** Creates the head for the instance: adds the caller and drops what was meant for the router. */
export function forwardRequest(head: RequestHead, caller: string): string {
  const kept = forwardedLines(head, 0, ({ handling }) => handling !== 'kept');
  const upgrade =
    head.upgrade === undefined ? '' : `\r\nConnection: Upgrade\r\nUpgrade: ${head.upgrade}`;
  const added = `X-Forwarded-For: ${caller}\r\nX-Forwarded-Host: ${head.authority}`;
  return `${kept}\r\n${added}\r\nX-Forwarded-Proto: http${upgrade}\r\n\r\n`;
}

/** Creates the head for the client. */
export function forwardResponse(
  head: ResponseHead,
  client: { readonly keepsAlive: boolean },
): string {
  const start = `HTTP/1.1 ${head.status} ${head.reason}`;
  const kept = forwardedLines(head, head.startEnd, ({ handling }) => handling === 'hop');
  return `${start}${kept}${formatConnection(head, client.keepsAlive)}\r\n\r\n`;
}

/**
 * Joins a head and the bytes after it into one Latin-1 text or one buffer, to send both in one
 * write. The result does not share memory with `rest`.
 */
export function joinHead(head: string, rest: Buffer): string | Buffer {
  if (rest.length <= TEXT_BYTES_MAX) return head + rest.toString('latin1');
  const whole = Buffer.allocUnsafe(head.length + rest.length);
  rest.copy(whole, whole.write(head, 0, 'latin1'));
  return whole;
}

/** A response of the router itself, in plain text. */
export interface OwnResponse {
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

/** Serializes a response of the router itself. */
export function formatOwnResponse(
  { status, text, fields = [] }: OwnResponse,
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

/** Returns whether a request may be repeated after an instance closed the connection silently. */
export function isRepeatable(method: string, framing: Framing): boolean {
  return framing.kind === 'none' && REPEATABLE.has(method);
}

function formatConnection(head: ResponseHead, keepsAlive: boolean): string {
  if (head.status === 101) {
    const protocol = head.fields.find(({ name }) => name === 'upgrade')?.value ?? '';
    return `\r\nConnection: Upgrade\r\nUpgrade: ${protocol}`;
  }
  if (head.status < 200) return '';
  return keepsAlive ? '\r\nConnection: keep-alive' : '\r\nConnection: close';
}

/** Returns the lines to forward, each with its preceding line break. */
function forwardedLines(head: Head, start: number, isDropped: (field: Field) => boolean): string {
  let kept = '';
  let from = start;
  for (const field of head.fields) {
    if (!isDropped(field)) continue;
    kept += head.text.slice(from, field.from);
    from = field.to;
  }
  kept += head.text.slice(from);
  const own = head.hops.filter((hop) => !COMMON_HOPS.has(hop));
  return own.length === 0 ? kept : dropFields(kept, own);
}

/** Drops fields that the sender declared as hop-by-hop. */
function dropFields(kept: string, names: readonly string[]): string {
  const [start = '', ...lines] = kept.split('\r\n');
  const others = lines.filter(
    (line) => !names.includes(line.slice(0, line.indexOf(COLON)).toLowerCase()),
  );
  return [start, ...others].join('\r\n');
}
