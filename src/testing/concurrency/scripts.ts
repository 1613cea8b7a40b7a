import type { Ev } from '../../runtime/engine/types.ts';
import type { Model, ModelState } from '../model.ts';
import type { MoveGenerator } from '../moves.ts';
import type { SeededRandom } from '../seeded-random.ts';

/** A planned operation. Without an event it is a read. */
export interface PlannedOperation {
  readonly id: string;
  readonly client: string;
  readonly actor: string;
  readonly event?: Ev;
}

/** The planned operations of all clients, each client's in order. */
export type Script = readonly PlannedOperation[];

/** Size of a script. */
export interface ScriptSize {
  readonly clients: number;
  /** Operations of each client. */
  readonly operations: number;
  readonly actors: readonly string[];
}

/** One in this many operations is a read. */
const READ_INTERVAL = 4;
/** One in this many events may be one that the machine ignores. */
const ANY_INTERVAL = 4;

/** Plans operations from the events of a machine, mostly such that the machine takes. */
export function planScript(
  model: Model,
  moves: MoveGenerator,
  o: ScriptSize & { readonly input: unknown; readonly chance: SeededRandom },
): Script {
  const states = new Map<string, ModelState>(
    o.actors.map((actor) => [actor, model.start(o.input).state]),
  );
  const script: PlannedOperation[] = [];
  for (let n = 0; n < o.operations * o.clients; n += 1) {
    const actor = o.chance.pick(o.actors) ?? '';
    const client = `client-${(n % o.clients) + 1}`;
    const head = { id: `operation-${n + 1}`, client, actor };
    const state = states.get(actor);
    if (state === undefined || o.chance.below(READ_INTERVAL) === 0) {
      script.push(head);
      continue;
    }
    const { event, next } = chooseEvent({ model, moves, chance: o.chance }, state);
    states.set(actor, next);
    script.push(event === undefined ? head : { ...head, event });
  }
  return script;
}

function chooseEvent(
  o: { readonly model: Model; readonly moves: MoveGenerator; readonly chance: SeededRandom },
  state: ModelState,
): { readonly event: Ev | undefined; readonly next: ModelState } {
  const isEnded = state.snapshot.status !== 'active';
  const moves = isEnded ? o.moves.listMovesAfterEnd(state) : o.moves.listMoves(state);
  const events = moves.filter(({ kind }) => kind === 'event');
  const isAny = o.chance.below(ANY_INTERVAL) === 0;
  const results = events.flatMap((move) => {
    try {
      const { state: next, transitionIds } = o.model.move(state, move);
      return isAny || transitionIds.length > 0 ? [{ event: move.event, next }] : [];
    } catch {
      // An event that makes the machine throw is no operation.
      return [];
    }
  });
  const chosen = o.chance.pick(results) ?? { event: o.chance.pick(events)?.event, next: state };
  return chosen;
}
