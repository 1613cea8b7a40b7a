import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import type { JournalEntry, View } from '../../runtime/engine/types.ts';

/** What is to be proven and told of an actor as it stands. */
export interface Told {
  readonly proofs: readonly NewProof[];
  readonly events: readonly NewPublicEvent[];
}

/**
 * Says what the actors of one kind prove and tell. Asked again about the same state it gives the
 * same, under the same keys: after a crash it is asked twice.
 */
export interface Teller {
  readonly kind: string;
  /** Types of events after which there may be something to tell. */
  readonly after: readonly string[];
  tell(view: View, row: JournalEntry): Promise<Told>;
}
