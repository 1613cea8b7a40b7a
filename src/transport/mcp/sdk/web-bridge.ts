import { compressReply, LONG_REPLY_CHARS } from '../../http/compress-reply.ts';
import type { HttpExchange } from '../../http/host.ts';

/** Creates the web-standard request for SDK handlers. Its body is passed separately, parsed. */
export function toWebRequest(exchange: HttpExchange, base: string, signal: AbortSignal): Request {
  const { method, headers, path, query } = exchange.request;
  const sent = new Headers();
  for (let at = 0; at < headers.length; at += 2) {
    sent.append(headers[at] ?? '', headers[at + 1] ?? '');
  }
  const url = `${base}${path}${query === '' ? '' : `?${query}`}`;
  return new Request(url, { method, headers: sent, signal });
}

/** Returns alternating header names and values, without connection headers. */
export function responseHeaders(response: Response): readonly string[] {
  return [...response.headers].filter(([name]) => name !== 'connection').flat();
}

/** Returns the body of a streamed reply, or `undefined` for a whole one. */
export function eventStreamOf(response: Response): ReadableStream<Uint8Array> | undefined {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  return isStream ? (response.body ?? undefined) : undefined;
}

/** Sends a whole response. */
export async function replyWhole(exchange: HttpExchange, response: Response): Promise<void> {
  const body = new Uint8Array(await response.arrayBuffer());
  const reply = { status: response.status, headers: responseHeaders(response), body };
  const isLong = body.length >= LONG_REPLY_CHARS;
  exchange.reply(isLong ? await compressReply(reply, exchange.request) : reply);
}

/** Sends a stream, until it ends or its reader leaves. */
export async function replyStream(
  exchange: HttpExchange,
  response: Response,
  body: ReadableStream<Uint8Array>,
): Promise<void> {
  const stream = exchange.stream({ status: response.status, headers: responseHeaders(response) });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (stream?.write(decoder.decode(value, { stream: true })) !== true) {
      await reader.cancel();
      return;
    }
  }
  stream?.end();
}
