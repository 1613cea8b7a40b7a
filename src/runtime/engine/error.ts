/** Code of an `EngineError`. Callers with their own error table map these codes. */
export type EngineErrorCode =
  | 'ACTOR_ACTIVE'
  | 'ACTOR_CLOSED'
  | 'ACTOR_FAILED'
  | 'ACTOR_KIND_CONFLICT'
  | 'ACTOR_KIND_UNKNOWN'
  | 'ACTOR_STOPPED'
  | 'ACTOR_STUCK'
  | 'ACTOR_UNKNOWN'
  | 'ASK_TIMEOUT'
  | 'DATA_DAMAGED'
  | 'DEAD_LETTER_UNKNOWN'
  | 'DEFINITION_INVALID'
  | 'EFFECT_UNKNOWN'
  | 'ENGINE_CLOSED'
  | 'EVENT_INVALID'
  | 'EVENT_POISON'
  | 'IDEMPOTENCY_CONFLICT'
  | 'JOURNAL_TRIMMED'
  | 'JOURNAL_INVALID'
  | 'MIGRATION_MISSING'
  | 'OVERLOADED'
  | 'QUERY_INVALID'
  | 'QUEUE_UNKNOWN'
  | 'REPLAY_VERSION_GONE'
  | 'SCHEDULE_INVALID'
  | 'SEQ_CONFLICT'
  | 'STORE_BUSY'
  | 'STORE_FAILED'
  | 'STORE_FULL'
  | 'STORE_KEY_INVALID'
  | 'STORE_NEWER';

/**
 * The only error class of the runtime. It does not depend on Stoa, so the runtime can be a library.
 */
export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: EngineErrorCode,
    message: string,
    facts: { data?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { cause: facts.cause });
    this.name = 'EngineError';
    this.code = code;
    this.data = facts.data ?? {};
  }
}
