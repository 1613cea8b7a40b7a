import type { AnyStateMachine } from 'xstate';
import { EngineError } from './error.ts';
import type { ActorEngine, Kind, TypedActors, View, ViewOf } from './types.ts';

/** Returns the actors of one kind. */
export function createTypedActors<M extends AnyStateMachine>(
  engine: ActorEngine,
  kind: Kind<M>,
): TypedActors<M> {
  const typed = (view: View) => typeView(kind, view);
  return {
    create: (id, input, o) => engine.create(kind.kind, id, input, o),
    tell: (id, event, o) => engine.tell(id, event, o),
    ask: async (id, event, until, o) =>
      typed(await engine.ask(id, event, (view) => until(typed(view)), o)),
    waitFor: async (id, until, o) =>
      typed(await engine.waitFor(id, (view) => until(typed(view)), o)),
    view: async (id, atSeq) => typed(await engine.view(id, atSeq)),
  };
}

/** Returns whether a view is of an actor of this kind. */
export function isOfKind<M extends AnyStateMachine>(kind: Kind<M>, view: View): view is ViewOf<M> {
  return view.kind === kind.kind;
}

/**
 * Returns a view with the types of its machine.
 *
 * @throws {EngineError} `ACTOR_KIND_CONFLICT` if the actor is of another kind.
 */
export function typeView<M extends AnyStateMachine>(kind: Kind<M>, view: View): ViewOf<M> {
  // The engine stores what the machine of this kind produced.
  if (isOfKind(kind, view)) return view;
  throw new EngineError(
    'ACTOR_KIND_CONFLICT',
    `${view.id} has the kind ${view.kind}, not ${kind.kind}.`,
    { data: { id: view.id, kind: view.kind, wanted: kind.kind } },
  );
}
