import type { Services } from '../../actors/common/services.ts';
import { readPresented } from '../../actors/payment/presented-payment.ts';
import { openRecords, toJsonAnswer } from '../../actors/proof/open-records.ts';
import { createTreasuryBalances } from '../../actors/wallet/treasury-balances.ts';
import { createWalletAuth } from '../../actors/wallet/wallet-auth.ts';
import type { Arbitrations } from '../../domain/arbitration/arbitrations.ts';
import type { AppError } from '../../domain/common/error.ts';
import type { ProofLog } from '../../domain/proof/proof-log.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { WalletNonces } from '../../domain/wallet/wallet-nonces.ts';
import { createOfferSigner } from '../../tools/payment/signed-offers.ts';
import type { BoardRateLimiter } from '../../transport/a2a/board-rate-limiter.ts';
import { boardRoutes } from '../../transport/a2a/board-routes.ts';
import type { OpenRecords } from '../../transport/a2a/record-routes.ts';
import type { FrontRoute } from '../../transport/front/front-route.ts';
import type { ServerServices } from '../server/services.ts';
import { stackOrMessage } from '../server/startup-error.ts';
import type { OpenWork } from './work.ts';

/** Opens the authentication of wallets, for every interface with signed requests. */
export function openWallets(
  services: Pick<Services, 'chain' | 'trust' | 'clock' | 'origins'>,
  nonces: WalletNonces,
): WalletAuth {
  const { chainId, token } = services.chain.facts;
  const domain = { chainId, verifyingContract: services.trust.contracts.escrow ?? token };
  return createWalletAuth({ ...services, domain, nonces });
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

/** Creates the routes of the work board and the treasury. */
export function openBoard(
  services: Pick<Services, 'chain' | 'clock' | 'notice' | 'trust' | 'wallets'> &
    Pick<ServerServices, 'config'>,
  own: Pick<OpenWork, 'board' | 'openJobs'> & {
    readonly arbitrations: Arbitrations;
    /** The proof log. Absent when there is none. */
    readonly proofs?: Pick<ProofLog, 'find' | 'payload'>;
    /** Limits calls, including those made through tools. */
    readonly gate?: BoardRateLimiter;
  },
): readonly FrontRoute[] {
  const { config, notice } = services;
  const { publicUrl } = config;
  const { proofs } = own;
  return boardRoutes({
    ...services,
    ...own,
    ...(proofs === undefined ? {} : { openRecords: createOpenRecords(proofs) }),
    limitsLocalCallers: config.limitLocal,
    ...(publicUrl === undefined ? {} : { publicUrl }),
    readPayment: readPresented,
    signOffer: createOfferSigner(services),
    balances: createTreasuryBalances({ ...services, ...own }),
    onFault: (error: AppError) => notice(`board: ${stackOrMessage(error)}`),
  });
}

function createOpenRecords(proofs: Pick<ProofLog, 'find' | 'payload'>): OpenRecords {
  return (ref, wallet) => toJsonAnswer(ref, openRecords(proofs, ref, wallet));
}
