import type { ActorEngine, Ev } from '../../runtime/engine/types.ts';
import { isEngineCode } from './engine-error.ts';

/**
 * Sends an event once per key. A repeat counts as sent, even if its event has another time.
 *
 * @throws {EngineError} The errors of `ActorEngine.tell`.
 */
export async function tellOnce(
  engine: ActorEngine,
  id: string,
  event: Ev,
  idempotencyKey: string,
): Promise<void> {
  try {
    await engine.tell(id, event, { idempotencyKey });
  } catch (thrown) {
    if (!isEngineCode(thrown, 'IDEMPOTENCY_CONFLICT')) throw thrown;
  }
}
