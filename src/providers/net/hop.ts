import type { Readable } from 'node:stream';
import { type buildConnector, Client } from 'undici';
import { flattenHeaders } from './headers.ts';
import { race } from './race.ts';

/** Most bytes of all headers of an answer. */
export const HEADER_BYTES_MAX = 16_384;
/** Most milliseconds from the request to the answer's headers. */
export const HEADERS_MS = 5_000;
/** Most milliseconds between two chunks of a body. */
export const BODY_GAP_MS = 5_000;

/** A request to one URL on its own connection. */
export interface HopRequest {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly connect: buildConnector.connector;
  readonly signal: AbortSignal;
}

/** An answer whose body is not read yet. The caller must call `close`. */
export interface Hop {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  close(): void;
}

/**
 * Sends one request and waits for its headers. The connection is not reused, so a host that a buyer
 * names leaves no state for a later request.
 */
export async function sendHop(request: HopRequest): Promise<Hop> {
  const { url } = request;
  const client = new Client(url.origin, {
    connect: request.connect,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MS,
    bodyTimeout: BODY_GAP_MS,
    pipelining: 1,
  });
  const close = () => {
    client.destroy().catch(() => undefined);
  };
  try {
    const response = client.request({
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      reset: true,
    });
    const answer = await race(response, request.signal);
    // Closing the client fails an unread body, which is not an error.
    answer.body.on('error', () => undefined);
    return {
      status: answer.statusCode,
      headers: flattenHeaders(answer.headers),
      body: answer.body,
      close,
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
}
