import { readPresented } from '../../actors/payment/presented-payment.ts';
import { openRecords, toJsonAnswer } from '../../actors/proof/open-records.ts';
import { createTreasuryBalances, type OpenJob } from '../../actors/wallet/treasury-balances.ts';
import { createWalletAuth } from '../../actors/wallet/wallet-auth.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { TrustChain } from '../../domain/chain/trust-chain.ts';
import type { Clock } from '../../domain/common/clock.ts';
import type { AppError } from '../../domain/common/error.ts';
import type { WorkBoard } from '../../domain/escrow/work-board.ts';
import type { PaymentChain } from '../../domain/payment/payment-chain.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { TrustStore } from '../../store/chain/trust-store.ts';
import { openWalletNonces } from '../../store/wallet/wallet-nonces.ts';
import { createOfferSigner } from '../../tools/payment/signed-offers.ts';
import type { BoardRateLimiter } from '../../transport/a2a/board-rate-limiter.ts';
import { boardRoutes } from '../../transport/a2a/board-routes.ts';
import type { OpenRecords } from '../../transport/a2a/record-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';

/** The dependencies of wallet authentication. */
export interface WalletDeps {
  readonly chain: Pick<PaymentChain, 'facts'>;
  readonly trust: Pick<TrustChain, 'isSignedBy' | 'contracts'>;
  readonly store: TrustStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the origins of this server. Empty before it listens. */
  readonly origins: () => readonly string[];
}

/** Opens the authentication of wallets, for every interface with signed requests. */
export function openWallets({ chain, trust, store, clock, origins }: WalletDeps): WalletAuth {
  const { chainId, token } = chain.facts;
  const domain = { chainId, verifyingContract: trust.contracts.escrow ?? token };
  return createWalletAuth({ trust, domain, origins, nonces: openWalletNonces(store), clock });
}

/** Authenticates wallets of tool calls, within the rate limits of the board. */
export function rateLimitedWallets(wallets: WalletAuth, gate: BoardRateLimiter): WalletAuth {
  return {
    prove: async (request) => {
      gate.countCall();
      const proven = await wallets.prove(request);
      gate.countWallet(proven.wallet);
      return proven;
    },
  };
}

/** The dependencies of the board service. */
export interface BoardServiceDeps {
  readonly board: WorkBoard;
  readonly wallets: WalletAuth;
  readonly chain: PaymentChain;
  readonly trust: TrustChain;
  readonly clock: Pick<Clock, 'now'>;
  readonly limitLocal: boolean;
  /** Limits calls, including those made through tools. */
  readonly gate?: BoardRateLimiter;
  readonly publicUrl: string | undefined;
  /** Returns the jobs whose payment is in escrow, by the server's own records. */
  openJobs(): Promise<readonly OpenJob[]>;
  /** Absent when arbitration is off. */
  readonly arbitrations?: Arbitrations;
  /** The proof log. Absent when there is none. */
  readonly proofs?: Pick<ProofLog, 'find' | 'payload'>;
  readonly notice: (line: string) => void;
}

/** Creates the routes of the work board and the treasury. */
export function openBoard(parts: BoardServiceDeps): readonly FrontRoute[] {
  const {
    board,
    wallets,
    chain,
    trust,
    clock,
    limitLocal,
    publicUrl,
    openJobs,
    notice,
    arbitrations,
    proofs,
    gate,
  } = parts;
  return boardRoutes({
    board,
    wallets,
    ...(arbitrations === undefined ? {} : { arbitrations }),
    ...(proofs === undefined ? {} : { openRecords: createOpenRecords(proofs) }),
    ...(gate === undefined ? {} : { gate }),
    clock,
    limitsLocalCallers: limitLocal,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    readPayment: readPresented,
    signOffer: createOfferSigner({ chain, clock }),
    balances: createTreasuryBalances({ chain, trust, openJobs }),
    onFault: (error: AppError) => notice(`board: ${stackOrMessage(error)}`),
  });
}

function createOpenRecords(proofs: Pick<ProofLog, 'find' | 'payload'>): OpenRecords {
  return (ref, wallet) => toJsonAnswer(ref, openRecords(proofs, ref, wallet));
}

function stackOrMessage({ cause, message }: AppError): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : message;
}
