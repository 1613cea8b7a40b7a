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
import { addressOf, readHeader, readWishes, tooLargeReply } from './ask.ts';
import { BoardGate } from './board-gate.ts';
import { refusalReply } from './reply.ts';

/** What the board is served from. */
export interface BoardParts {
  readonly board: WorkBoard;
  readonly wallets: WalletAuth;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether the rates of addresses hold for callers on this machine too. */
  readonly limitsLocalCallers: boolean;
  /** Counts calls; default one of its own. Shared where wallets also ask by another way. */
  readonly gate?: BoardGate;
  /** Where clients reach the server; else what they say in `Host`. */
  readonly publicUrl?: string;
  /**
   * Reads the one payment of a call.
   *
   * @throws {AppError} `PAYMENT_DUPLICATED`, `PAYMENT_MALFORMED`
   */
  readPayment(payments: readonly PresentedPayment[]): PaymentPayload;
  /** Signs what a challenge offers. */
  readonly signOffer: OfferSigner;
  /** Told of failures of ours, whose detail the caller does not get. */
  readonly onFault: (error: AppError) => void;
}

/** One address of the board. */
export interface BoardAddress<Name extends string = never> {
  readonly method: 'GET' | 'POST';
  /** Ends with a slash where an id follows. */
  readonly path: string;
  /** What stands behind the id, such as `/bids`. */
  readonly suffix?: string;
  readonly bodyBytesMax?: number;
  readonly access?: FrontRoute['access'];
  /** What its query may have beside `src`. */
  readonly wishes?: readonly Name[];
}

/** A call of the board. */
export interface BoardCall<Name extends string = never> {
  readonly request: HttpRequest;
  readonly body: Buffer;
  /** What the address names, as it was sent. */
  readonly id: string;
  readonly wishes: Partial<Record<Name | 'src', string>>;
  /** The whole address, for a challenge. */
  readonly url: string;
  /**
   * Proves whose wallet asks.
   *
   * @throws {AppError} the `WALLET_…` codes, `RATE_LIMITED`
   */
  by(): Promise<WalletCall>;
}

/** Serves one address. */
export type Serve = <Name extends string = never>(
  address: BoardAddress<Name>,
  answer: (call: BoardCall<Name>) => Promise<HttpReply>,
) => FrontRoute;

const OWN_FAULTS: readonly string[] = ['INTERNAL', 'INVARIANT'];

/** Makes what serves the addresses of one board: rates, query, wallet and errors are the same. */
export function boardServer(parts: BoardParts): Serve {
  const gate = parts.gate ?? new BoardGate(parts.clock, parts.limitsLocalCallers);
  return (address, answer) => {
    const { method, path, suffix, bodyBytesMax = 0, access = 'open', wishes = [] } = address;
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
        gate.address(request.remoteAddress);
        const asked = readWishes(request.query, wishes);
        return await answer({
          request,
          body,
          id: hasId ? readId(address, request.path) : '',
          wishes: asked,
          url: `${originOf(parts, request)}${addressOf(request)}`,
          by: () => prove(parts, gate, { request, body, src: asked.src }),
        });
      } catch (thrown) {
        const error = toAppError(thrown);
        if (OWN_FAULTS.includes(error.code)) parts.onFault(error);
        return refusalReply(error);
      }
    });
  };
}

interface Unproven {
  readonly request: HttpRequest;
  readonly body: Buffer;
  readonly src: string | undefined;
}

async function prove(
  { wallets }: BoardParts,
  gate: BoardGate,
  { request, body, src }: Unproven,
): Promise<WalletCall> {
  const proven = await wallets.prove({
    method: request.method,
    path: addressOf(request),
    body,
    header: readHeader(request, WALLET_HEADER),
    ...(src === undefined ? {} : { src }),
  });
  gate.wallet(proven.wallet);
  return proven;
}

function originOf({ publicUrl }: BoardParts, request: HttpRequest): string {
  return publicUrl ?? `http://${headerOf(request, 'host') ?? ''}`;
}

/** An id of another form names nothing. */
function readId(
  { path, suffix = '' }: Pick<BoardAddress, 'path' | 'suffix'>,
  sent: string,
): string {
  const id = sent.slice(path.length, sent.length - suffix.length);
  if (ID.test(id)) return id;
  throw new AppError(UNKNOWN[path] ?? 'INVARIANT', {
    data: { received: id.slice(0, 80), allowed: 'an id as it was given' },
  });
}

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const UNKNOWN: Readonly<Record<string, ErrorCode>> = {
  '/a2a/requests/': 'REQUEST_UNKNOWN',
  '/a2a/bids/': 'BID_UNKNOWN',
  '/a2a/jobs/': 'JOB_UNKNOWN',
  '/a2a/records/': 'PROOF_UNKNOWN',
};
