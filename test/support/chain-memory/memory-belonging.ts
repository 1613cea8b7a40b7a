import type { TransferOutcome } from '../../../src/domain/payment/payment-chain.ts';
import { replayFault } from '../../../src/providers/chain/belonging.ts';
import type { BookedMovement, MemoryLedger, Movement } from './memory-ledger.ts';

/** Separates this server's transfers from those of other servers on the same ledger. */
export interface MemoryBelonging {
  /** Runs a broadcast of this server and records what it moved. */
  sent(movement: Movement, broadcast: () => TransferOutcome): TransferOutcome;
  /** Works like `own` of {@link Belonging} on a node. */
  own<Found extends TransferOutcome | { readonly state: 'unspent' }>(
    movement: Movement,
    found: Found,
  ): Found | TransferOutcome;
  /** Returns whether an authorization that was spent before it arrived may still pay here. */
  mayBeOurs(movement: Movement): boolean;
}

/**
 * Creates the ownership check over a ledger.
 *
 * @param journal - Transactions that this server has sent, as its disk would hold them.
 * @param isSole - Whether this is the only server on the chain.
 */
export function memoryBelonging(
  ledger: MemoryLedger,
  journal: Set<string>,
  isSole: boolean,
): MemoryBelonging {
  const isClaimed = (booked: BookedMovement): boolean => {
    const owner = ledger.claims.get(booked.transaction) ?? journal;
    ledger.claims.set(booked.transaction, owner);
    return owner === journal || isSole;
  };
  return {
    sent: (movement, broadcast) => {
      const before = ledger.find(movement);
      const outcome = broadcast();
      const after = ledger.find(movement);
      if (before === undefined && after !== undefined) journal.add(after.transaction);
      return outcome;
    },
    own: (movement, found) => {
      const booked = ledger.find(movement);
      if (found.state !== 'settled' || booked === undefined) return found;
      if (journal.has(booked.transaction)) return found;
      const isOurs = booked.isPreempted && isClaimed(booked);
      return isOurs ? found : { state: 'failed', fault: replayFault() };
    },
    mayBeOurs: (movement) => isSole && ledger.find(movement)?.isPreempted === true,
  };
}
