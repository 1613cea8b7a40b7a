import type { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { SignedRequest } from '../../domain/wallet/wallet-auth.ts';
import { WALLET_HEADER } from '../../domain/wallet/wallet-request.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { isLoopback, networkOf, providerNetworkOf } from '../http/address.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { errorReply } from '../proof/replies.ts';

/** Networks that the limiter tracks. It forgets the least recent one first. */
const CALLERS_MAX = 20_000;
const SHOWN_CHARS_MAX = 200;

/** A call limit: a burst, and a rate per minute. */
export interface CallRate {
  readonly burst: number;
  readonly perMinute: number;
}

/** Replies to a request. A thrown error becomes an error reply. */
export type RouteHandler = (request: HttpRequest, body: Buffer) => Promise<HttpReply>;

/** Returns a function that creates open routes with one shared rate limit and error replies. */
export function createRatedRoutes(rate: CallRate, clock: Clock) {
  const buckets = new TokenBuckets(rate, CALLERS_MAX);
  return (shape: Omit<FrontRoute, 'handle' | 'access'>, answer: RouteHandler): FrontRoute =>
    plainRoute({ ...shape, access: 'open' }, async (request, body) => {
      const waitMs = buckets.take(networkOf(request.remoteAddress), clock.now());
      if (waitMs > 0) return errorReply(new AppError('RATE_LIMITED'), waitMs);
      try {
        return await answer(request, body);
      } catch (thrown) {
        return errorReply(toAppError(thrown));
      }
    });
}

/**
 * Creates a limiter for calls that cost the operator money. Local callers are exempt, as their
 * wallets are limited anyway.
 *
 * @throws {AppError} through the returned function: `RATE_LIMITED` with the limit and the delay
 */
export function createNetworkLimiter(
  rate: CallRate,
  clock: Clock,
): (remoteAddress: string) => void {
  const buckets = new TokenBuckets(rate, CALLERS_MAX);
  return (remoteAddress) => {
    if (isLoopback(remoteAddress)) return;
    const network = providerNetworkOf(remoteAddress);
    const waitMs = buckets.take(network, clock.now());
    if (waitMs === 0) return;
    throw new AppError('RATE_LIMITED', {
      message: `The network ${network} has reached its daily limit; try again later.`,
      data: {
        received: network,
        allowed: rate.burst,
        retry_after_s: Math.ceil(waitMs / SECOND_MS),
      },
    });
  };
}

/**
 * Reads optional query parameters, each at most once. Rejects others.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function readParams<Name extends string>(
  query: string,
  allowed: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const asked = [...new URLSearchParams(query)];
  const values = Object.fromEntries(asked);
  const isValid =
    asked.length === Object.keys(values).length &&
    asked.every(([name]) => allowed.some((one) => one === name));
  if (isValid) return values as Partial<Record<Name, string>>;
  throw new AppError('INPUT_INVALID', {
    message: 'The query has an unknown or repeated parameter.',
    data: { received: query.slice(0, SHOWN_CHARS_MAX), allowed },
  });
}

/**
 * Parses a JSON body.
 *
 * @throws {AppError} `INPUT_INVALID` with the field that is invalid.
 */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: Buffer): z.output<Schema> {
  const parsed = schema.safeParse(tryParseJson(body.toString('utf8')));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join('.') ?? '';
  const where = path === '' ? 'the body' : path;
  throw new AppError('INPUT_INVALID', {
    message: `The body is invalid at ${where}: ${issue?.message ?? 'it is not JSON'}.`,
    data: { received: body.toString('utf8', 0, SHOWN_CHARS_MAX), path, allowed: issue?.message },
  });
}

/** Returns the parts of a request that its wallet signed. */
export function signedRequest(request: HttpRequest, body: Buffer): SignedRequest {
  const { method, path, query } = request;
  const { src } = readParams(query, ['src']);
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    body,
    header: headerOf(request, WALLET_HEADER),
    ...(src === undefined ? {} : { src: src.slice(0, SRC_CHARS_MAX) }),
  };
}

/** Longest attribution tag that is stored, in characters. */
const SRC_CHARS_MAX = 64;

/**
 * Splits the path after a prefix and decodes its segments.
 *
 * @throws {AppError} `INPUT_INVALID` for an invalid escape.
 */
export function readPath(path: string, prefix: string): readonly string[] {
  try {
    return path.slice(prefix.length).split('/').map(decodeURIComponent);
  } catch {
    throw new AppError('INPUT_INVALID', {
      message: 'The path has an invalid percent escape.',
      data: { received: path.slice(0, SHOWN_CHARS_MAX) },
    });
  }
}
