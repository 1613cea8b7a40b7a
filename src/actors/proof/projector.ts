import type { NewPublicEvent } from '../../domain/event/event-log.ts';
import type { NewProof } from '../../domain/proof/proof-log.ts';
import { typeView } from '../../runtime/engine/typed-actors.ts';
import type { JournalEntry, Kind, View, ViewOf } from '../../runtime/engine/types.ts';

/** Proofs and events of an actor in its current state. */
export interface Projection {
  readonly proofs: readonly NewProof[];
  readonly events: readonly NewPublicEvent[];
}

/**
 * Projects the proofs and events of one actor kind. The same state must always give the same
 * records under the same keys, because rows are projected again after a crash.
 */
export interface Projector {
  readonly kind: string;
  /** Event types after which a projection can change. */
  readonly after: readonly string[];
  project(view: View, row: JournalEntry): Promise<Projection>;
}

/** A projector whose views have the types of their machine. */
interface TypedProjector<M extends Kind['machine']> extends Pick<Projector, 'after'> {
  project(view: ViewOf<M>, row: JournalEntry): Promise<Projection>;
}

/** Creates the projector of one actor kind. */
export function createProjector<M extends Kind['machine']>(
  kind: Kind<M>,
  { after, project }: TypedProjector<M>,
): Projector {
  return {
    kind: kind.kind,
    after,
    project: async (view, row) => project(typeView(kind, view), row),
  };
}
