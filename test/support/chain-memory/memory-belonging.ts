import type { TransferOutcome } from '../../../src/domain/payment/payment-chain.ts';
import { replayFault } from '../../../src/providers/chain/belonging.ts';
import type { BookedMovement, MemoryLedger, Movement } from './memory-ledger.ts';

/** What tells a server's own transfers from those of other servers on the same books. */
export interface MemoryBelonging {
  /** Notes what a broadcast of this server has moved. */
  sent(movement: Movement, broadcast: () => TransferOutcome): TransferOutcome;
  /** As `own` of {@link Belonging} does it on a node. */
  own<Found extends TransferOutcome | { readonly state: 'unspent' }>(
    movement: Movement,
    found: Found,
  ): Found | TransferOutcome;
  /** Whether what was spent before it came here may be paid with still. */
  mayBeOurs(movement: Movement): boolean;
}

/**
 * Opens the test over a ledger.
 *
 * @param journal - Transactions that this server remembers to have sent, on its disk.
 * @param isSole - Whether the chain is the server's own, so that nobody else answers on it.
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
