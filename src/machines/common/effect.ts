import { fromPromise } from 'xstate';
import { AppError } from '../../domain/common/error.ts';

/**
 * Declares a named effect of a machine: its input and output types, and nothing else. The engine
 * runs what its definition gives for the name; the logic here is never started.
 */
export function effect<In, Out>() {
  return fromPromise<Out, In>(async () => {
    throw new AppError('INVARIANT', { message: 'an effect is run by the engine, never by XState' });
  });
}

/** The code of an error as an engine delivers it. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : 'INTERNAL';
}
