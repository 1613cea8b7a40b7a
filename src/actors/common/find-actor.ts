import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from './engine-error.ts';

/**
 * Reads the committed state of an actor; `undefined` when there is none under this id.
 *
 * @param kind - Actors of other kinds count as none. Default: any kind.
 */
export async function findActor(
  engine: Pick<ActorEngine, 'view'>,
  id: string,
  kind?: string,
): Promise<View | undefined> {
  try {
    const view = await engine.view(id);
    return kind === undefined || view.kind === kind ? view : undefined;
  } catch (thrown) {
    if (isEngineCode(thrown, 'ACTOR_UNKNOWN')) return undefined;
    throw thrown;
  }
}
