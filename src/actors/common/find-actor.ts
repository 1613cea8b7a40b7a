import { isOfKind } from '../../runtime/engine/typed-actors.ts';
import type { ActorEngine, Kind, View, ViewOf } from '../../runtime/engine/types.ts';
import { isEngineCode } from './engine-error.ts';

/** Returns the committed state of an actor; `undefined` if it does not exist. */
export async function findActor(
  engine: Pick<ActorEngine, 'view'>,
  id: string,
): Promise<View | undefined> {
  try {
    return await engine.view(id);
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return undefined;
    throw thrown;
  }
}

/** Returns the committed state of an actor of one kind; `undefined` if there is none. */
export async function findOfKind<M extends Kind['machine']>(
  engine: Pick<ActorEngine, 'view'>,
  id: string,
  kind: Kind<M>,
): Promise<ViewOf<M> | undefined> {
  const view = await findActor(engine, id);
  return view !== undefined && isOfKind(kind, view) ? view : undefined;
}
