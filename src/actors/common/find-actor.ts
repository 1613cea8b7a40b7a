import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from './engine-error.ts';

/**
 * Returns the committed state of an actor; `undefined` if it does not exist.
 *
 * @param kind - Ignores actors of other kinds. Default: any kind.
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
