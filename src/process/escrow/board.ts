import { readPresented } from '../../actors/payment/presented.ts';
import { openedAnswer, openRecords } from '../../actors/proof/open-records.ts';
import { type OpenJob, treasuryBalances } from '../../actors/wallet/treasury-balances.ts';
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
import { openOfferSigner } from '../../tools/payment/signed-offers.ts';
import type { BoardGate } from '../../transport/a2a/board-gate.ts';
import { boardRoutes } from '../../transport/a2a/board-routes.ts';
import type { OpenRecords } from '../../transport/a2a/record-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';

/** The dependencies of wallet authentication. */
export interface WalletParts {
  readonly chain: Pick<PaymentChain, 'facts'>;
  readonly trust: Pick<TrustChain, 'isSignedBy' | 'contracts'>;
  readonly store: TrustStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Returns the origins of this server. Empty before it listens. */
  readonly origins: () => readonly string[];
}

/** Opens the authentication of wallets, for every interface with signed requests. */
export function openWallets({ chain, trust, store, clock, origins }: WalletParts): WalletAuth {
  const { chainId, token } = chain.facts;
  const domain = { chainId, verifyingContract: trust.contracts.escrow ?? token };
  return createWalletAuth({ trust, domain, origins, nonces: openWalletNonces(store), clock });
}

/** Authenticates wallets of tool calls, within the rate limits of the board. */
export function gatedWallets(wallets: WalletAuth, gate: BoardGate): WalletAuth {
  return {
    prove: async (request) => {
      gate.any();
      const proven = await wallets.prove(request);
      gate.wallet(proven.wallet);
      return proven;
    },
  };
}

/** The dependencies of the board service. */
export interface BoardServiceParts {
  readonly board: WorkBoard;
  readonly wallets: WalletAuth;
  readonly chain: PaymentChain;
  readonly trust: TrustChain;
  readonly clock: Pick<Clock, 'now'>;
  readonly limitLocal: boolean;
  /** Limits calls, including those made through tools. */
  readonly gate?: BoardGate;
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
export function openBoard(parts: BoardServiceParts): readonly FrontRoute[] {
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
    ...(proofs === undefined ? {} : { openRecords: recordsOf(proofs) }),
    ...(gate === undefined ? {} : { gate }),
    clock,
    limitsLocalCallers: limitLocal,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    readPayment: readPresented,
    signOffer: openOfferSigner({ chain, clock }),
    balances: treasuryBalances({ chain, trust, openJobs }),
    onFault: (error: AppError) => notice(`board: ${faultText(error)}`),
  });
}

function recordsOf(proofs: Pick<ProofLog, 'find' | 'payload'>): OpenRecords {
  return (ref, wallet) => openedAnswer(ref, openRecords(proofs, ref, wallet));
}

function faultText({ cause, message }: AppError): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : message;
}
