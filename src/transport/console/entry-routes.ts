import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError, ERRORS, errorBody, toAppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { networkOf } from '../http/address.ts';
import type { HttpReply } from '../http/host.ts';
import { type Rate, TokenBuckets } from '../mcp/call/token-buckets.ts';
import type { ConsoleCookies } from './console-cookies.ts';
import type { ConsoleLink } from './console-link.ts';
import type { EntryCodes } from './entry-codes.ts';

/** Rate limit for entry codes, per network. */
export const ENTER_RATE: Rate = { burst: 10, perMinute: 30 };
/** Networks that the limiter tracks. */
const ADDRESSES_KEPT_MAX = 4_096;
const BODY_BYTES_MAX = 1_024;
const CODE_CHARS_MAX = 128;
const EnterBody = z.strictObject({ code: z.string().min(1).max(CODE_CHARS_MAX) });

/** The dependencies of the sign-in routes. */
export interface EntryDeps {
  readonly codes: Pick<EntryCodes, 'redeem'>;
  readonly cookies: ConsoleCookies;
  readonly clock: Clock;
  readonly link: () => ConsoleLink;
}

/** Creates `POST /console/link`, `/console/enter`, `/console/entry` and `/console/leave`. */
export function entryRoutes({ codes, cookies, clock, link }: EntryDeps): readonly FrontRoute[] {
  const attempts = new TokenBuckets(ENTER_RATE, ADDRESSES_KEPT_MAX);
  const post = { methods: ['POST'], bodyBytesMax: BODY_BYTES_MAX } as const;
  return [
    plainRoute({ ...post, path: '/console/link', access: 'operator' }, () => {
      const { url, expiresAt } = link();
      const body = { url, expires_at: new Date(expiresAt).toISOString() };
      return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(body) };
    }),
    plainRoute({ ...post, path: '/console/enter', access: 'own_page' }, (request, body) => {
      const waitMs = attempts.take(networkOf(request.remoteAddress), clock.now());
      if (waitMs > 0) return rateLimitedReply(waitMs);
      try {
        codes.redeem(parseCode(body));
        return { status: 204, headers: [...NO_STORE, 'set-cookie', cookies.issue()] };
      } catch (thrown) {
        return errorReply(toAppError(thrown));
      }
    }),
    // A page does not learn why its socket was rejected. This route tells it whether to sign in
    // again.
    plainRoute({ ...post, path: '/console/entry', access: 'own_page' }, (request) => {
      if (cookies.read(request) !== undefined) return { status: 204, headers: NO_STORE };
      return errorReply(new AppError('UNAUTHORIZED', { message: 'Sign in to the console first.' }));
    }),
    plainRoute({ ...post, path: '/console/leave', access: 'own_page' }, () => {
      return { status: 204, headers: [...NO_STORE, 'set-cookie', cookies.clear()] };
    }),
  ];
}

const NO_STORE = ['cache-control', 'no-store'];
const JSON_HEADERS = ['content-type', 'application/json', ...NO_STORE];

// Errors do not repeat the input, because it may be a code.
function parseCode(body: Buffer): string {
  const parsed = EnterBody.safeParse(tryParseJson(body.toString('utf8')));
  if (parsed.success) return parsed.data.code;
  throw new AppError('INPUT_INVALID', {
    message: 'The body must be {"code": "…"}.',
    data: {
      received_bytes: body.byteLength,
      allowed: { code: `1 to ${CODE_CHARS_MAX} characters` },
    },
  });
}

function rateLimitedReply(waitMs: number): HttpReply {
  const seconds = Math.ceil(waitMs / SECOND_MS);
  const { headers = [], ...reply } = errorReply(
    new AppError('RATE_LIMITED', {
      message: `Too many attempts; try again in ${seconds} s.`,
      data: { retry_after_s: seconds },
    }),
  );
  return { ...reply, headers: [...headers, 'retry-after', String(seconds)] };
}

function errorReply(error: AppError): HttpReply {
  const body = JSON.stringify(errorBody(error));
  return { status: ERRORS[error.code].status, headers: JSON_HEADERS, body };
}
