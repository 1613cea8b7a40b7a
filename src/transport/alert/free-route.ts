import type { Clock } from '../../domain/common/clock.ts';
import { type AppError, toAppError } from '../../domain/common/error.ts';
import type { BoardRateLimiter } from '../a2a/board-rate-limiter.ts';
import { readOptionalQuery, tooLargeReply } from '../a2a/read-request.ts';
import { refusalReply } from '../a2a/reply.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';

/** The shared dependencies of the free routes of alerts and webhooks. */
export interface FreeRouteDeps {
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the per-address rate limits also apply to local callers. */
  readonly limitsLocalCallers: boolean;
  /** Receives internal errors, whose details the caller does not see. */
  readonly onFault: (error: AppError) => void;
}

/** The method and path of one free route. */
export interface FreeRouteSpec {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Ends with a slash when an id follows. */
  readonly path: string;
  /** The path after the id, such as `/rearm`. */
  readonly suffix?: string;
  readonly bodyBytesMax?: number;
}

/** A call with the id from its path. The id is empty when the path has none. */
export interface FreeCall {
  readonly request: HttpRequest;
  readonly body: Buffer;
  readonly id: string;
}

const INTERNAL_ERRORS: readonly string[] = ['INTERNAL', 'INVARIANT'];

/** Creates one route with its rate limit, query check and error replies. */
export function freeRoute(
  { gate, onFault }: { readonly gate: BoardRateLimiter } & Pick<FreeRouteDeps, 'onFault'>,
  address: FreeRouteSpec,
  answer: (call: FreeCall) => Promise<HttpReply>,
): FrontRoute {
  const { method, path, suffix, bodyBytesMax = 0 } = address;
  const hasId = path.endsWith('/');
  const shape = {
    methods: [method],
    path,
    access: 'open',
    bodyBytesMax,
    tooLarge: tooLargeReply(bodyBytesMax),
    ...(hasId ? { isPrefix: true } : {}),
    ...(suffix === undefined ? {} : { suffix }),
  } as const;
  return plainRoute(shape, async (request, body) => {
    try {
      gate.countAddress(request.remoteAddress);
      readOptionalQuery(request.query, []);
      const end = request.path.length - (suffix ?? '').length;
      return await answer({ request, body, id: hasId ? request.path.slice(path.length, end) : '' });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (INTERNAL_ERRORS.includes(error.code)) onFault(error);
      return refusalReply(error);
    }
  });
}
