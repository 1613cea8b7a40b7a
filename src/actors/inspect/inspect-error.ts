import { AppError, ERRORS, type ErrorCode } from '../../domain/common/error.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import type { WireError } from '../../domain/inspect/wire.ts';
import { EngineError } from '../../runtime/engine/error.ts';

/** Engine error codes that mean an invalid request here. */
const INPUT_ERROR_CODES: readonly string[] = [
  'ACTOR_KIND_CONFLICT',
  'ACTOR_KIND_UNKNOWN',
  'EVENT_INVALID',
];

/**
 * Converts an engine error to a public error with the engine's message, which inspectors may see.
 */
export function toInspectError(thrown: unknown): AppError {
  if (thrown instanceof AppError || !(thrown instanceof EngineError)) {
    return thrown instanceof AppError ? thrown : new AppError('INTERNAL', { cause: thrown });
  }
  const { message, data } = thrown;
  const code = publicCode(thrown);
  return new AppError(code, code === 'INTERNAL' ? { cause: thrown } : { message, data });
}

/** Returns the wire form of the error that ended a subscription. */
export function toWireError(thrown: unknown): WireError {
  const { code, message, data } = toInspectError(thrown);
  if (code === 'INTERNAL' || Object.keys(data).length === 0) return { code, message };
  return { code, message, data: data as JsonObject };
}

function publicCode({ code, data }: EngineError): ErrorCode {
  // The engine has no separate code for an unknown row.
  if (code === 'ACTOR_UNKNOWN' && 'seq' in data) return 'SEQ_UNKNOWN';
  if (INPUT_ERROR_CODES.includes(code)) return 'INPUT_INVALID';
  return Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'INTERNAL';
}
