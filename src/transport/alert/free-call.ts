import type { Clock } from '../../domain/common/clock.ts';
import { type AppError, toAppError } from '../../domain/common/error.ts';
import { readWishes, tooLargeReply } from '../a2a/ask.ts';
import type { BoardGate } from '../a2a/board-gate.ts';
import { refusalReply } from '../a2a/reply.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';

/** The shared dependencies of the free routes of alerts and webhooks. */
export interface FreeParts {
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the per-address rate limits also apply to local callers. */
  readonly limitsLocalCallers: boolean;
  /** Receives internal errors, whose details the caller does not see. */
  readonly onFault: (error: AppError) => void;
}

/** The method and path of one free route. */
export interface FreeAddress {
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

const OWN_FAULTS: readonly string[] = ['INTERNAL', 'INVARIANT'];

/** Creates one route with its rate limit, query check and error replies. */
export function freeRoute(
  { gate, onFault }: { readonly gate: BoardGate } & Pick<FreeParts, 'onFault'>,
  address: FreeAddress,
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
      gate.address(request.remoteAddress);
      readWishes(request.query, []);
      const end = request.path.length - (suffix ?? '').length;
      return await answer({ request, body, id: hasId ? request.path.slice(path.length, end) : '' });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (OWN_FAULTS.includes(error.code)) onFault(error);
      return refusalReply(error);
    }
  });
}
