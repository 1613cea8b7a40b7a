import { EngineError, type EngineErrorCode } from '../../runtime/engine/error.ts';
import type { HttpReply } from '../../transport/http/host.ts';
import type { ApiErrorBody } from './api-types.ts';

/** Codes of errors of the API itself. */
export type ApiErrorCode =
  | 'BODY_TOO_LARGE'
  | 'INPUT_INVALID'
  | 'INTERNAL'
  | 'NOT_FOUND'
  | 'UNAUTHORIZED';

const STATUS: Readonly<Record<EngineErrorCode | ApiErrorCode, number>> = {
  ACTOR_ACTIVE: 409,
  ACTOR_CLOSED: 409,
  ACTOR_FAILED: 409,
  ACTOR_KIND_CONFLICT: 409,
  ACTOR_KIND_UNKNOWN: 404,
  ACTOR_STOPPED: 409,
  ACTOR_STUCK: 409,
  ACTOR_UNKNOWN: 404,
  ASK_TIMEOUT: 504,
  BODY_TOO_LARGE: 413,
  DATA_DAMAGED: 500,
  DEAD_LETTER_UNKNOWN: 404,
  DEFINITION_INVALID: 500,
  EFFECT_UNKNOWN: 404,
  ENGINE_CLOSED: 503,
  EVENT_INVALID: 400,
  EVENT_POISON: 422,
  INPUT_INVALID: 400,
  INTERNAL: 500,
  JOURNAL_INVALID: 400,
  JOURNAL_TRIMMED: 410,
  MIGRATION_MISSING: 500,
  NOT_FOUND: 404,
  OVERLOADED: 503,
  QUEUE_UNKNOWN: 404,
  REPLAY_VERSION_GONE: 410,
  SCHEDULE_INVALID: 400,
  SEQ_CONFLICT: 409,
  STORE_BUSY: 503,
  STORE_FAILED: 503,
  STORE_FULL: 507,
  STORE_NEWER: 500,
  UNAUTHORIZED: 401,
};

/** An error of the API itself, with what was received and what is allowed. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ApiErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.data = data;
  }
}

/** Returns the reply to an error. Nothing of an unknown error leaves the process. */
export function errorReply(thrown: unknown): HttpReply {
  const isKnown = thrown instanceof ApiError || thrown instanceof EngineError;
  const { code, message, data } = isKnown ? thrown : INTERNAL;
  const body: ApiErrorBody = { error: code, message, data };
  return jsonReply(STATUS[code], body);
}

const INTERNAL = new ApiError('INTERNAL', 'The program could not answer. It has the details.');

/** Returns a JSON reply. */
export function jsonReply(status: number, body: unknown): HttpReply {
  const headers = ['content-type', 'application/json', 'cache-control', 'no-store'];
  return { status, headers, body: `${JSON.stringify(body)}\n` };
}
