import type { EventLog } from '../event/event-log.ts';
import { ReputationLedger } from './ledger.ts';
import type { ReadReputation } from './reputation.ts';

/** Number of events read per event-loop turn. */
const BATCH_EVENTS = 500;

/**
 * Creates a reader of track records over a feed. The first query reads the whole feed and yields
 * between batches; later ones read only new events.
 *
 * @param yieldTurn - Resolves in a later event-loop turn.
 */
export function createReputationReader(
  events: EventLog,
  yieldTurn: () => Promise<void>,
): ReadReputation {
  const ledger = new ReputationLedger();
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    while (ledger.events < events.size) {
      for (const event of events.read(ledger.events, BATCH_EVENTS)) ledger.process(event);
      await yieldTurn();
    }
  };
  return async (wallet) => {
    while (ledger.events < events.size) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    }
    return ledger.reputationFor(wallet);
  };
}
