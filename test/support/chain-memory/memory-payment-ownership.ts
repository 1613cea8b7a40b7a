import type { TransferOutcome } from '../../../src/domain/payment/payment-chain.ts';
import { replayFault } from '../../../src/providers/chain/payment-ownership.ts';
import type { ExecutedTransfer, MemoryLedger, TokenTransfer } from './memory-ledger.ts';

/** Separates this server's transfers from those of other servers on the same ledger. */
export interface MemoryPaymentOwnership {
  /** Runs a broadcast of this server and records what it moved. */
  recordSent(movement: TokenTransfer, broadcast: () => TransferOutcome): TransferOutcome;
  /** Works like `requireOwn` of `PaymentOwnership` on a node. */
  requireOwn<Found extends TransferOutcome | { readonly state: 'unspent' }>(
    movement: TokenTransfer,
    found: Found,
  ): Found | TransferOutcome;
  /** Returns whether an authorization that was spent before it arrived may still pay here. */
  isClaimable(movement: TokenTransfer): boolean;
}

/**
 * Creates the ownership check over a ledger.
 *
 * @param journal - Transactions that this server has sent, as its disk would hold them.
 * @param isSole - Whether this is the only server on the chain.
 */
export function createMemoryPaymentOwnership(
  ledger: MemoryLedger,
  journal: Set<string>,
  isSole: boolean,
): MemoryPaymentOwnership {
  const claim = (booked: ExecutedTransfer): boolean => {
    const owner = ledger.claims.get(booked.transaction) ?? journal;
    ledger.claims.set(booked.transaction, owner);
    return owner === journal || isSole;
  };
  return {
    recordSent: (movement, broadcast) => {
      const earlier = ledger.findTransfer(movement);
      const outcome = broadcast();
      const executed = ledger.findTransfer(movement);
      if (earlier === undefined && executed !== undefined) journal.add(executed.transaction);
      return outcome;
    },
    requireOwn: (movement, found) => {
      const booked = ledger.findTransfer(movement);
      if (found.state !== 'settled' || booked === undefined) return found;
      if (journal.has(booked.transaction)) return found;
      const isOurs = booked.isPreempted && claim(booked);
      return isOurs ? found : { state: 'failed', fault: replayFault() };
    },
    isClaimable: (movement) => isSole && ledger.findTransfer(movement)?.isPreempted === true,
  };
}
