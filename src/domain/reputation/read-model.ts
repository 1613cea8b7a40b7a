import type { EventLog } from '../event/event-log.ts';
import { ReputationLedger } from './ledger.ts';
import type { ReputationOf } from './reputation.ts';

/** Events that are read in one turn. */
const BATCH = 500;

/**
 * Track records that follow a feed. The first question reads the feed so far, in turns that leave
 * room for others; later ones read what came since.
 *
 * @param turn - Resolves in a later turn of the process.
 */
export function reputationFrom(events: EventLog, turn: () => Promise<void>): ReputationOf {
  const ledger = new ReputationLedger();
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    while (ledger.events < events.size) {
      for (const event of events.read(ledger.events, BATCH)) ledger.take(event);
      await turn();
    }
  };
  return async (wallet) => {
    while (ledger.events < events.size) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    }
    return ledger.of(wallet);
  };
}
