import type { Readable } from 'node:stream';
import { type buildConnector, Client } from 'undici';
import { flatHeaders } from './headers.ts';
import { race } from './race.ts';

/** Most bytes of all headers of an answer. */
export const HEADER_BYTES_MAX = 16_384;
/** Most milliseconds from the request to its headers. */
export const HEADERS_MS = 5_000;
/** Most milliseconds between two pieces of a body. */
export const GAP_MS = 5_000;

/** One request to one address, on a connection of its own. */
export interface HopRequest {
  readonly url: URL;
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly connect: buildConnector.connector;
  readonly signal: AbortSignal;
}

/** An answer whose body has not been read. `close` must be called. */
export interface Hop {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  close(): void;
}

/**
 * Sends one request and waits for its headers. The connection is not kept: a host that a buyer
 * names gets no state here that a later request could meet.
 */
export async function openHop(request: HopRequest): Promise<Hop> {
  const { url } = request;
  const client = new Client(url.origin, {
    connect: request.connect,
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: HEADERS_MS,
    bodyTimeout: GAP_MS,
    pipelining: 1,
  });
  const close = () => {
    client.destroy().catch(() => undefined);
  };
  try {
    const asked = client.request({
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: request.headers,
      ...(request.body === undefined ? {} : { body: request.body }),
      reset: true,
    });
    const answer = await race(asked, request.signal);
    // Closing the client fails a body that nobody reads; that is not an error of anyone.
    answer.body.on('error', () => undefined);
    return {
      status: answer.statusCode,
      headers: flatHeaders(answer.headers),
      body: answer.body,
      close,
    };
  } catch (thrown) {
    close();
    throw thrown;
  }
}
