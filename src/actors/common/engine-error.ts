import { AppError, ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';

/** Gives the public error for what an engine call threw; names that the table lacks are ours. */
export function fromEngine(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof EngineError && isPublic(thrown.code)) {
    return new AppError(thrown.code, { cause: thrown });
  }
  return new AppError('INTERNAL', { cause: thrown });
}

/** Tells whether an engine refused a call for this very reason. */
export function isEngineCode(thrown: unknown, code: EngineError['code']): boolean {
  return thrown instanceof EngineError && thrown.code === code;
}

function isPublic(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
