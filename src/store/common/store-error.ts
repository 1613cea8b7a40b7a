import { AppError, isErrorCode } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';

/** Converts a store's error to one of the public error table; returns any other error unchanged. */
export function convertStoreError(thrown: unknown): unknown {
  if (!(thrown instanceof EngineError)) return thrown;
  const { code, message, data } = thrown;
  return new AppError(isErrorCode(code) ? code : 'INTERNAL', { message, data, cause: thrown });
}
