import { AppError, ERRORS } from '../../domain/common/error.ts';
import { EngineError, type EngineErrorCode } from '../../runtime/engine/error.ts';
import { toJsonData } from '../../runtime/value/typed-value.ts';
import type { HttpReply } from '../../transport/http/host.ts';
import type { ApiErrorBody } from './api-types.ts';

const STATUS: Readonly<Record<EngineErrorCode, number>> = {
  ACTOR_ACTIVE: 409,
  ACTOR_CLOSED: 409,
  ACTOR_FAILED: 409,
  ACTOR_KIND_CONFLICT: 409,
  ACTOR_KIND_UNKNOWN: 404,
  ACTOR_STOPPED: 409,
  ACTOR_STUCK: 409,
  ACTOR_UNKNOWN: 404,
  ASK_TIMEOUT: 504,
  DATA_DAMAGED: 500,
  DEAD_LETTER_UNKNOWN: 404,
  DEFINITION_INVALID: 500,
  EFFECT_UNKNOWN: 404,
  ENGINE_CLOSED: 503,
  EVENT_INVALID: 400,
  EVENT_POISON: 422,
  JOURNAL_INVALID: 400,
  IDEMPOTENCY_CONFLICT: 409,
  JOURNAL_TRIMMED: 410,
  MIGRATION_MISSING: 500,
  OVERLOADED: 503,
  QUERY_INVALID: 400,
  QUEUE_UNKNOWN: 404,
  REPLAY_VERSION_GONE: 410,
  SCHEDULE_INVALID: 400,
  SEQ_CONFLICT: 409,
  STORE_BUSY: 503,
  STORE_FAILED: 503,
  STORE_FULL: 507,
  STORE_KEY_INVALID: 500,
  STORE_NEWER: 500,
};

/** Returns the reply to an error. Details of unexpected errors are not sent. */
export function errorReply(thrown: unknown): HttpReply {
  if (thrown instanceof EngineError) {
    const { code, message, data } = thrown;
    return jsonReply(STATUS[code], { error: code, message, data } satisfies ApiErrorBody);
  }
  const error =
    thrown instanceof AppError && isExpected(thrown) ? thrown : new AppError('INTERNAL');
  const { code, message, data } = error;
  return jsonReply(ERRORS[code].status, { error: code, message, data } satisfies ApiErrorBody);
}

/** Whether an error is the caller's, or a known condition of the engine. */
export function isExpected(thrown: unknown): thrown is AppError | EngineError {
  if (thrown instanceof EngineError) return true;
  return thrown instanceof AppError && thrown.code !== 'INTERNAL';
}

/** Returns the error for a kind that the app does not have. */
export function unknownKind(kind: string, allowed: readonly string[]): EngineError {
  const message = `The kind is ${kind}; it must be one of: ${allowed.join(', ')}.`;
  return new EngineError('ACTOR_KIND_UNKNOWN', message, { data: { kind, allowed } });
}

/** Returns a JSON reply. */
export function jsonReply(status: number, body: unknown): HttpReply {
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
  return { status, headers, body: `${JSON.stringify(toJsonData(body))}\n` };
}
