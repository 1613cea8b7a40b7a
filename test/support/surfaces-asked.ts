import { connect } from 'node:net';
import type { HttpRoute } from '../../src/transport/http/host.ts';

/** A request as short as a client can send it. */
export interface ShortRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a request cost on the wire, and what came. */
export interface Asked {
  readonly sentBytes: number;
  readonly gotBytes: number;
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** Longest that any answer may take, in milliseconds: a hang guard. */
const ANSWER_MS_MAX = 15_000;
const HEAD_END = '\r\n\r\n';

/** Sends a request and counts the bytes of both directions, heads included. */
export function askShort(port: number, request: ShortRequest): Promise<Asked> {
  const sent = written(port, request);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(sent));
    const parts: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no answer to ${request.method} ${request.path}`));
    }, ANSWER_MS_MAX);
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(measured(sent, Buffer.concat(parts)));
    };
    socket.on('data', (chunk) => {
      parts.push(chunk);
      if (isWhole(Buffer.concat(parts), request.method)) finish();
    });
    socket.on('error', reject);
    socket.on('close', finish);
  });
}

/** How a table names a route: its method, its path, and dots for what stands between. */
export function namesOfRoute({ methods, path, isPrefix, suffix = '' }: HttpRoute): string[] {
  const place = `${path}${isPrefix === true ? '…' : ''}${suffix}`;
  // HEAD is answered as GET, without the body.
  return methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${place}`);
}

/** How an answer is kept in bounds: it is short, compressed where that is taken, or a page. */
export function measureKind({ sentBytes, gotBytes, head, body }: Asked): string {
  if (/^content-encoding: (gzip|br)/im.test(head)) return 'gzip';
  if (gotBytes <= AMPLIFICATION_MAX * sentBytes) return 'short';
  return /"(cursor|next|nextCursor)":/.test(body.toString('utf8')) ? 'pages' : 'none';
}

/** Most bytes that are sent for a byte that was received. */
export const AMPLIFICATION_MAX = 20;

function written(port: number, { method, path, body, headers = {} }: ShortRequest): string {
  const all = {
    host: `127.0.0.1:${port}`,
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body ?? '')) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}${HEAD_END}${body ?? ''}`;
}

function measured(sent: string, got: Buffer): Asked {
  const end = got.indexOf(HEAD_END);
  const head = got.subarray(0, Math.max(end, 0)).toString('latin1');
  return {
    sentBytes: Buffer.byteLength(sent),
    gotBytes: got.length,
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0),
    head,
    body: got.subarray(end + HEAD_END.length),
  };
}

function isWhole(got: Buffer, method: string): boolean {
  const end = got.indexOf(HEAD_END);
  if (end < 0) return false;
  const head = got.subarray(0, end).toString('latin1');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  const isBare = method === 'HEAD' || /^HTTP\/1\.1 (204|304)/.test(head);
  return isBare || (length !== undefined && got.length >= end + HEAD_END.length + Number(length));
}
