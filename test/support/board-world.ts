import { readPresented } from '../../src/actors/payment/presented-payment.ts';
import { createWalletAuth } from '../../src/actors/wallet/wallet-auth.ts';
import type { Arbitrations } from '../../src/domain/arbitration/arbitrations.ts';
import type { AppError } from '../../src/domain/common/error.ts';
import type { JsonObject } from '../../src/domain/common/json.ts';
import { createOfferSigner } from '../../src/tools/payment/signed-offers.ts';
import { boardRoutes } from '../../src/transport/a2a/board-routes.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { BoardDouble } from './board-double.ts';
import { createMemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { type FrontRig, startFront } from './front-rig.ts';
import { memoryNonces } from './memory-nonces.ts';
import {
  type ClaimOverrides,
  isSignedByKey,
  type SigningWallet,
  TEST_DOMAIN,
  TEST_ORIGIN,
} from './signing-wallet.ts';

/** A front with the board's addresses over a double of the board. */
export interface BoardWorld {
  readonly rig: FrontRig;
  readonly board: BoardDouble;
  readonly faults: AppError[];
  readonly time: { now: number };
  /** Asks with JSON, signed by a wallet where there is one. */
  ask(path: string, how?: AskOptions): Promise<Response>;
}

/** How something is asked. */
export interface AskOptions {
  readonly method?: string;
  readonly wallet?: SigningWallet;
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claim?: ClaimOverrides;
}

/** Starts a front on an engine. */
export async function boardWorld(
  engine: HttpEngine,
  balances: () => Promise<JsonObject> = async () => ({}),
  arbitrations?: Arbitrations,
): Promise<BoardWorld> {
  const board = new BoardDouble();
  const faults: AppError[] = [];
  const time = { now: Date.now() };
  const rig = await startFront(engine, {
    routes: boardRoutes({
      board,
      wallets: createWalletAuth({
        trust: { isSignedBy: isSignedByKey },
        domain: TEST_DOMAIN,
        origins: () => [TEST_ORIGIN],
        nonces: memoryNonces(),
        clock: { now: () => Date.now() },
      }),
      clock: { now: () => time.now },
      limitsLocalCallers: true,
      readPayment: readPresented,
      signOffer: createOfferSigner({
        chain: createMemoryPaymentChain(),
        clock: { now: () => time.now },
      }),
      balances,
      ...(arbitrations === undefined ? {} : { arbitrations }),
      onFault: (error) => faults.push(error),
    }),
  });
  const ask = async (path: string, how: AskOptions = {}): Promise<Response> => {
    const { method = 'GET', wallet, json, headers = {}, claim } = how;
    const body = how.body ?? (json === undefined ? undefined : JSON.stringify(json));
    const signed =
      wallet === undefined
        ? {}
        : {
            'stoa-wallet': await wallet.header(
              { method, path, ...(body === undefined ? {} : { body }) },
              claim,
            ),
          };
    return fetch(`${rig.baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...signed, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  };
  return { rig, board, faults, time, ask };
}
