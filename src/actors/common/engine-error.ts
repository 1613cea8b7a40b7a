import { AppError, isErrorCode } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';

/** Converts an engine error to a public error. Codes without a public entry become `INTERNAL`. */
export function appErrorFromEngine(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof EngineError && isErrorCode(thrown.code)) {
    return new AppError(thrown.code, { cause: thrown });
  }
  return new AppError('INTERNAL', { cause: thrown });
}

/** Returns whether a thrown value is an engine error with this code. */
export function isEngineCode(thrown: unknown, code: EngineError['code']): boolean {
  return thrown instanceof EngineError && thrown.code === code;
}
