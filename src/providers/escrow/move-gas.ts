import type { EscrowedJob, EscrowMove } from '../../domain/chain/trust-chain.ts';
import type { GasAccount } from '../chain/trust/caller.ts';

/**
 * Returns the gas account of a move: a party pays for its own moves, the operator for deadlines.
 */
export function moveGasAccount(
  { move }: EscrowMove,
  { buyer, provider }: Pick<EscrowedJob, 'buyer' | 'provider'>,
  job: string,
): GasAccount {
  switch (move) {
    case 'giveBack':
      return { purpose: 'give_backs', wallet: provider };
    case 'fulfil':
      return { purpose: 'moves', wallet: provider, job };
    case 'release':
    case 'dispute':
    case 'withdrawDispute':
      return { purpose: 'moves', wallet: buyer, job };
    case 'settleExpired':
    case 'decide':
    case 'refundUnfulfilled':
    case 'refundUndecided':
      return { purpose: 'closings', job };
  }
}

/** Returns whether a move pays the provider. The job's fee has then paid for its gas. */
export function isPayout(move: EscrowMove): boolean {
  if (move.move === 'decide') return move.isForProvider;
  return move.move === 'release' || move.move === 'settleExpired';
}
