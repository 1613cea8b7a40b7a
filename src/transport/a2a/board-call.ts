import type { Clock } from '../../domain/common/clock.ts';
import { AppError, type ErrorCode, toAppError } from '../../domain/common/error.ts';
import type { WalletCall, WorkBoard } from '../../domain/escrow/work-board.ts';
import type { PaymentPayload } from '../../domain/payment/payment.ts';
import type { PresentedPayment } from '../../domain/tool/tool.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import { WALLET_HEADER } from '../../domain/wallet/wallet-request.ts';
import type { OfferSigner } from '../../tools/payment/signed-offers.ts';
import { type FrontRoute, plainRoute } from '../front/front-route.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { BoardRateLimiter } from './board-rate-limiter.ts';
import { readHeader, readOptionalQuery, signedPath, tooLargeReply } from './read-request.ts';
import { refusalReply } from './reply.ts';

/** The dependencies of the board routes. */
export interface BoardDeps {
  readonly board: WorkBoard;
  readonly wallets: WalletAuth;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the per-address rate limits also apply to local callers. */
  readonly limitsLocalCallers: boolean;
  /** Limits calls; the default is a new gate. Shared when wallets also call through tools. */
  readonly gate?: BoardRateLimiter;
  /** The public address of the server. When absent, the `Host` header is used. */
  readonly publicUrl?: string;
  /**
   * Parses the only payment of a call.
   *
   * @throws {AppError} `PAYMENT_DUPLICATED`, `PAYMENT_MALFORMED`
   */
  readPayment(payments: readonly PresentedPayment[]): PaymentPayload;
  /** Signs the offers of a challenge. */
  readonly signOffer: OfferSigner;
  /** Receives internal errors, whose details the caller does not see. */
  readonly onFault: (error: AppError) => void;
}

/** The method and path of one board route. */
export interface BoardRouteSpec<Name extends string = never> {
  readonly method: 'GET' | 'POST';
  /** Ends with a slash when an id follows. */
  readonly path: string;
  /** The path after the id, such as `/bids`. */
  readonly suffix?: string;
  readonly bodyBytesMax?: number;
  readonly access?: FrontRoute['access'];
  /** Query parameters that are allowed beside `src`. */
  readonly queryParams?: readonly Name[];
}

/** A call to the board. */
export interface BoardCall<Name extends string = never> {
  readonly request: HttpRequest;
  readonly body: Buffer;
  /** The id in the path, as sent. */
  readonly id: string;
  readonly queryParams: Partial<Record<Name | 'src', string>>;
  /** The full URL, for a challenge. */
  readonly url: string;
  /**
   * Authenticates the calling wallet.
   *
   * @throws {AppError} the `WALLET_…` codes, `RATE_LIMITED`
   */
  by(): Promise<WalletCall>;
}

/** Creates one board route. */
export type CreateBoardRoute = <Name extends string = never>(
  address: BoardRouteSpec<Name>,
  answer: (call: BoardCall<Name>) => Promise<HttpReply>,
) => FrontRoute;

const INTERNAL_ERRORS: readonly string[] = ['INTERNAL', 'INVARIANT'];

/**
 * Returns the function that creates board routes with shared rate, query, wallet and error
 * handling.
 */
export function createBoardRouter(parts: BoardDeps): CreateBoardRoute {
  const gate = parts.gate ?? new BoardRateLimiter(parts.clock, parts.limitsLocalCallers);
  return (address, answer) => {
    const { method, path, suffix, bodyBytesMax = 0, access = 'open', queryParams = [] } = address;
    const hasId = path.endsWith('/');
    const shape = {
      methods: [method],
      path,
      access,
      bodyBytesMax,
      tooLarge: tooLargeReply(bodyBytesMax),
      ...(hasId ? { isPrefix: true } : {}),
      ...(suffix === undefined ? {} : { suffix }),
    };
    return plainRoute(shape, async (request, body) => {
      try {
        gate.countAddress(request.remoteAddress);
        const asked = readOptionalQuery(request.query, queryParams);
        return await answer({
          request,
          body,
          id: hasId ? readId(address, request.path) : '',
          queryParams: asked,
          url: `${requestOrigin(parts, request)}${signedPath(request)}`,
          by: () => authenticateWallet(parts, gate, { request, body, src: asked.src }),
        });
      } catch (thrown) {
        const error = toAppError(thrown);
        if (INTERNAL_ERRORS.includes(error.code)) parts.onFault(error);
        return refusalReply(error);
      }
    });
  };
}

interface UnauthenticatedCall {
  readonly request: HttpRequest;
  readonly body: Buffer;
  readonly src: string | undefined;
}

async function authenticateWallet(
  { wallets }: BoardDeps,
  gate: BoardRateLimiter,
  { request, body, src }: UnauthenticatedCall,
): Promise<WalletCall> {
  const proven = await wallets.prove({
    method: request.method,
    path: signedPath(request),
    body,
    header: readHeader(request, WALLET_HEADER),
    ...(src === undefined ? {} : { src }),
  });
  gate.countWallet(proven.wallet);
  return proven;
}

function requestOrigin({ publicUrl }: BoardDeps, request: HttpRequest): string {
  return publicUrl ?? `http://${headerOf(request, 'host') ?? ''}`;
}

/** Returns the id in the path. An id of another form is unknown. */
function readId(
  { path, suffix = '' }: Pick<BoardRouteSpec, 'path' | 'suffix'>,
  sent: string,
): string {
  const id = sent.slice(path.length, sent.length - suffix.length);
  if (ID.test(id)) return id;
  throw new AppError(UNKNOWN_CODES[path] ?? 'INVARIANT', {
    data: { received: id.slice(0, 80), allowed: 'an id that this server issued' },
  });
}

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const UNKNOWN_CODES: Readonly<Record<string, ErrorCode>> = {
  '/a2a/requests/': 'REQUEST_UNKNOWN',
  '/a2a/bids/': 'BID_UNKNOWN',
  '/a2a/jobs/': 'JOB_UNKNOWN',
  '/a2a/records/': 'PROOF_UNKNOWN',
};
