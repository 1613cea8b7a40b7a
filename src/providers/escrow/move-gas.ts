import type { EscrowedJob, EscrowMove } from '../../domain/chain/trust-chain.ts';
import type { GasAccount } from '../chain/trust/caller.ts';

/** Who a move's gas is paid for: a party for its own moves, nobody for what time brings. */
export function gasOfMove(
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

/** Moves after which the provider is paid, and the fee of the job has paid for its gas. */
export function isPaying(move: EscrowMove): boolean {
  if (move.move === 'decide') return move.isForProvider;
  return move.move === 'release' || move.move === 'settleExpired';
}
