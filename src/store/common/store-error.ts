import { AppError, ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';

/** Says in the words of the error table why a store could not be opened, with the store's own. */
export function storeError(thrown: unknown): unknown {
  if (!(thrown instanceof EngineError)) return thrown;
  const { code, message, data } = thrown;
  return new AppError(isPublic(code) ? code : 'INTERNAL', { message, data, cause: thrown });
}

function isPublic(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
