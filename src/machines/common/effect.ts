import { fromPromise } from 'xstate';
import { AppError } from '../../domain/common/error.ts';

/**
 * Declares a named effect of a machine with its input and output types. The engine runs the
 * implementation from the definition; the logic here never runs.
 */
export function declareEffect<In, Out>() {
  return fromPromise<Out, In>(async () => {
    throw new AppError('INVARIANT', { message: 'an effect is run by the engine, never by XState' });
  });
}

/** Returns the code of an error as the engine delivers it, or `INTERNAL`. */
export function errorCodeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : 'INTERNAL';
}
