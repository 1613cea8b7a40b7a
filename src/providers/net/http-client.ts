import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { buildConnector, Client } from 'undici';
import { AppError } from '../../domain/common/error.ts';
import { type AddressRules, blockedError } from './address-rules.ts';
import { flattenHeaders, race } from './http-message.ts';

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

/** Most milliseconds to connect, TLS included. */
export const CONNECT_MS = 3_000;

/** Resolves a host name to all its addresses. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Resolves with the system's resolver. */
export const resolveWithSystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map((row) => row.address);

/** Creates connectors that open a socket or block it. */
export interface Connectors {
  for(url: URL, onConnected: (socket: Socket) => void): buildConnector.connector;
}

/**
 * Creates connectors that check the address at all three places where it is known: a literal in the
 * URL (which skips the lookup), every resolved address, and the peer of the open socket. A name is
 * resolved once, by the connection itself, so nothing can change between check and use.
 */
export function createConnectors(rules: AddressRules, resolve: Resolve): Connectors {
  const unguarded = buildConnector({ timeout: CONNECT_MS, lookup: createLookup(resolve) });
  const guarded = guardConnector(
    buildConnector({ timeout: CONNECT_MS, lookup: createCheckedLookup(rules, resolve) }),
    rules,
  );
  return {
    for: (url, onConnected) => {
      const connect = rules.isAllowlisted(url) ? unguarded : guarded;
      return (options, done) =>
        connect(options, (...outcome) => {
          if (outcome[0] === null) onConnected(outcome[1]);
          done(...outcome);
        });
    },
  };
}

/** Wraps a connector with a check of literals before, and of the peer after connecting. */
export function guardConnector(
  connect: buildConnector.connector,
  rules: Pick<AddressRules, 'isAllowed'>,
): buildConnector.connector {
  return (options, done) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !rules.isAllowed(host)) {
      done(blockedError('address', host), null);
      return;
    }
    connect(options, (...outcome) => {
      if (outcome[0] === null && !rules.isAllowed(outcome[1].remoteAddress ?? '')) {
        outcome[1].destroy();
        done(blockedError('address', host), null);
        return;
      }
      done(...outcome);
    });
  };
}

/** Creates a lookup that returns only allowed addresses, or blocks the host. */
export function createCheckedLookup(
  rules: Pick<AddressRules, 'isAllowed'>,
  resolve: Resolve,
): LookupFunction {
  return createLookup(async (hostname) => {
    const addresses = await resolve(hostname);
    if (!addresses.every((address) => rules.isAllowed(address)))
      throw blockedError('address', hostname);
    return addresses;
  });
}

function createLookup(resolve: Resolve): LookupFunction {
  return (hostname, options, give) => {
    resolve(hostname).then(
      (addresses) => {
        const rows = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = rows;
        if (first === undefined) give(noAddressError(hostname), '', 0);
        else if (options.all === true) give(null, rows);
        else give(null, first.address, first.family);
      },
      (thrown: NodeJS.ErrnoException) => give(thrown, '', 0),
    );
  };
}

function noAddressError(hostname: string): AppError {
  return new AppError('EGRESS_FAILED', { data: { kind: 'dns', code: 'ENODATA', hostname } });
}
