import type { Hex } from 'viem';
import { AppError } from '../../domain/common/error.ts';
import type { Authorization } from '../../domain/payment/payment.ts';
import type {
  OperatorTransfer,
  PaymentFault,
  TransferOutcome,
} from '../../domain/payment/payment-chain.ts';
import { authorizationKey } from '../payment/authorization-key.ts';
import { isSameAddress } from '../payment/local-check.ts';
import type { OpenChain } from './local/local-chain.ts';
import { type LookUpParts, lookUpAuthorization } from './look-up.ts';

/** What became of an authorization, as the chain tells it. */
type Found = TransferOutcome | { readonly state: 'unspent' };

/** Tells which payments of a treasury are this server's to answer. */
export interface Belonging {
  /**
   * Takes a settled payment as ours only where nobody else can have answered for it: we sent it, or
   * an outsider did and this server has claimed it. Anything else fails as a replay.
   */
  own(authorization: Authorization, found: Found): Promise<Found>;
  /**
   * Tells whether an authorization that was spent before it came here may be paid with still: an
   * outsider brought it to an embedded chain, which has one server only.
   */
  mayBeOurs(authorization: Authorization): Promise<boolean>;
}

/** What belonging is told by. */
export interface BelongingParts extends LookUpParts {
  readonly chain: Pick<OpenChain, 'accounts' | 'journal' | 'archive' | 'rpc' | 'isLocal'>;
  /** Sends money of the treasury, once per token whichever server does it. */
  readonly transfer: (order: OperatorTransfer) => Promise<TransferOutcome>;
}

/** Opens the test; see {@link Belonging}. */
export function belonging(parts: BelongingParts): Belonging {
  return {
    own: (authorization, found) => own(parts, authorization, found),
    mayBeOurs: (authorization) => mayBeOurs(parts, authorization),
  };
}

async function own(
  parts: BelongingParts,
  authorization: Authorization,
  found: Found,
): Promise<Found> {
  if (found.state !== 'settled') return found;
  const sender = await findSender(parts, found.transaction as Hex, authorization);
  if (sender === 'this server') return found;
  if (sender === 'another server') return replayed();
  return parts.isLocal ? found : claimed(parts, authorization, found);
}

async function mayBeOurs(parts: BelongingParts, authorization: Authorization): Promise<boolean> {
  const { history, isLocal } = parts;
  // On a chain of others a stranger's facilitator may have sold something else for it.
  if (!isLocal) return false;
  const isKnown =
    history.hashesOf(authorizationKey(authorization)).length > 0 ||
    (await history.archived(authorization)) !== undefined;
  if (isKnown) return false;
  // A check may be repeated: only the settlement writes down what it has found.
  const reading = { ...parts, history: { ...history, keep: async () => undefined } };
  const found = await lookUpAuthorization(reading, authorization);
  if (found.state !== 'settled') return false;
  return (await findSender(parts, found.transaction as Hex, authorization)) === 'an outsider';
}

type Sender = 'this server' | 'another server' | 'an outsider';

/** Every transaction of ours is on disk before it is sent: one that is not there is not ours. */
async function findSender(
  { chain, history }: BelongingParts,
  hash: Hex,
  authorization: Authorization,
): Promise<Sender> {
  const { accounts, journal, rpc } = chain;
  const row = journal.rows().findLast((each) => each.hash === hash);
  if (row !== undefined && row.from === undefined) return 'this server';
  const archived = await history.archived(authorization);
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
 * Claims an outsider's payment for this server, by a transfer of nothing from the treasury to
 * itself under the payment's own key: the token takes it once, from one of a treasury's servers.
 * Where others may send for the treasury without being it, nobody can tell them from outsiders.
 */
async function claimed(
  { chain, transfer }: BelongingParts,
  authorization: Authorization,
  found: TransferOutcome,
): Promise<Found> {
  const { accounts, journal } = chain;
  const { operator, treasury } = accounts;
  if (!isSameAddress(operator.address, treasury.address)) return replayed();
  const token = `${authorizationKey(authorization)}:claim`;
  const claim = await transfer({ to: treasury.address, amount: '0', token });
  if (claim.state !== 'settled') return claim;
  const isOurs = journal.rows().some(({ hash }) => hash === claim.transaction);
  return isOurs ? found : replayed();
}

function replayed(): TransferOutcome {
  return { state: 'failed', fault: replayFault() };
}

/** What a payment is told that belongs to another server, or was spent before it came here. */
export function replayFault(): PaymentFault {
  return {
    code: 'PAYMENT_REPLAYED',
    message:
      'The authorization was spent, and not by this server for this call. Whoever paid for ' +
      'nothing asks the operator for the money, with the transaction.',
  };
}
