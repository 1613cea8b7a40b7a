import type { Hex } from 'viem';
import { AppError } from '../../domain/common/error.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type {
  OperatorTransfer,
  PaymentFailure,
  TransferOutcome,
} from '../../domain/payment/payment-chain.ts';
import { authorizationKey } from '../payment/authorization-key.ts';
import { isSameAddress } from '../payment/local-check.ts';
import { type AuthorizationLookupDeps, lookUpAuthorization } from './authorization-lookup.ts';
import type { OpenChain } from './open-chain.ts';

/** The state of an authorization on the chain. */
type AuthorizationOutcome = TransferOutcome | { readonly state: 'unspent' };

/** Decides which payments to a treasury this server may serve. */
export interface PaymentOwnership {
  /**
   * Accepts a settled payment only if no other server can have served it: this server sent it, or a
   * third party sent it and this server has claimed it. Any other payment fails as a replay.
   */
  requireOwn(
    authorization: Authorization,
    found: AuthorizationOutcome,
  ): Promise<AuthorizationOutcome>;
  /**
   * Checks whether an authorization that was spent before it arrived may still pay here. It may if
   * a third party brought it to an embedded chain, which has only one server.
   */
  isClaimable(authorization: Authorization): Promise<boolean>;
}

/** The dependencies of {@link PaymentOwnership}. */
export interface PaymentOwnershipDeps extends AuthorizationLookupDeps {
  readonly chain: Pick<OpenChain, 'accounts' | 'journal' | 'archive' | 'rpc' | 'isLocal'>;
  /** Sends money of the treasury, once per token, no matter which server does it. */
  readonly transfer: (order: OperatorTransfer) => Promise<TransferOutcome>;
}

/** Creates the ownership check for the payments of one treasury. */
export function createPaymentOwnership(parts: PaymentOwnershipDeps): PaymentOwnership {
  return {
    requireOwn: (authorization, found) => requireOwnPayment(parts, authorization, found),
    isClaimable: (authorization) => isClaimable(parts, authorization),
  };
}

async function requireOwnPayment(
  parts: PaymentOwnershipDeps,
  authorization: Authorization,
  found: AuthorizationOutcome,
): Promise<AuthorizationOutcome> {
  if (found.state !== 'settled') return found;
  const sender = await findSender(parts, found.transaction as Hex, authorization);
  if (sender === 'this server') return found;
  if (sender === 'another server') return replayOutcome();
  return parts.isLocal ? found : claimPayment(parts, authorization, found);
}

async function isClaimable(
  parts: PaymentOwnershipDeps,
  authorization: Authorization,
): Promise<boolean> {
  const { history, isLocal } = parts;
  // On a remote chain, another seller's facilitator may have used it for a different sale.
  if (!isLocal) return false;
  const isKnown =
    history.hashesOf(authorizationKey(authorization)).length > 0 ||
    (await history.findArchived(authorization)) !== undefined;
  if (isKnown) return false;
  // A check may be repeated, so only the settlement stores what it finds.
  const readOnlyParts = { ...parts, history: { ...history, keep: async () => undefined } };
  const found = await lookUpAuthorization(readOnlyParts, authorization);
  if (found.state !== 'settled') return false;
  return (await findSender(parts, found.transaction as Hex, authorization)) === 'an outsider';
}

type Sender = 'this server' | 'another server' | 'an outsider';

/**
 * Every transaction of this server is on disk before it is sent. One that is not there is not ours.
 */
async function findSender(
  { chain, history }: PaymentOwnershipDeps,
  hash: Hex,
  authorization: Authorization,
): Promise<Sender> {
  const { accounts, journal, rpc } = chain;
  const row = journal.rows().findLast((each) => each.hash === hash);
  if (row !== undefined && row.from === undefined) return 'this server';
  const archived = await history.findArchived(authorization);
  if (archived?.state === 'settled' && archived.transaction === hash) return 'this server';
  const sent =
    row ?? (await rpc.call<{ readonly from: Hex } | null>('eth_getTransactionByHash', [hash]));
  const from = sent?.from;
  if (from === undefined) throw new AppError('CHAIN_UNAVAILABLE', { data: { transaction: hash } });
  const { operator, treasury } = accounts;
  const isOfTreasury = [operator, treasury].some(({ address }) => isSameAddress(address, from));
  return isOfTreasury ? 'another server' : 'an outsider';
}

/**
 * Claims a third party's payment for this server. The treasury transfers zero to itself under the
 * payment's own key, which the token accepts once, from one of the treasury's servers. If other
 * accounts may send for the treasury, they cannot be told from third parties, so nothing is
 * claimed.
 */
async function claimPayment(
  { chain, transfer }: PaymentOwnershipDeps,
  authorization: Authorization,
  found: TransferOutcome,
): Promise<AuthorizationOutcome> {
  const { accounts, journal } = chain;
  const { operator, treasury } = accounts;
  if (!isSameAddress(operator.address, treasury.address)) return replayOutcome();
  const token = `${authorizationKey(authorization)}:claim`;
  const claim = await transfer({ to: treasury.address, amount: '0', token });
  if (claim.state !== 'settled') return claim;
  const isOurs = journal.rows().some(({ hash }) => hash === claim.transaction);
  return isOurs ? found : replayOutcome();
}

function replayOutcome(): TransferOutcome {
  return { state: 'failed', fault: replayFault() };
}

/**
 * Returns the error for a payment that belongs to another server or was spent before it came here.
 */
export function replayFault(): PaymentFailure {
  return {
    code: 'PAYMENT_REPLAYED',
    message:
      'The authorization was spent, but not by this server for this call. If you paid and ' +
      'received nothing, send the transaction to the operator and ask for a refund.',
  };
}
