/** What a caller can do about an error: nothing, fix the input, or retry the same call later. */
export type Retry = 'never' | 'after_fix' | 'later';

/** The public properties of one error code. */
export interface ErrorRow {
  /** HTTP status of the error on plain HTTP endpoints. */
  readonly status: number;
  readonly retry: Retry;
  /** The default message for the caller. */
  readonly summary: string;
}

/** The public error codes. A code is part of the wire: changing one is a breaking change. */
export const ERRORS = {
  ACTION_OFF: errorRow(403, 'after_fix', 'The operator has not enabled this action.'),
  ACTOR_CLOSED: errorRow(409, 'never', 'The actor has finished and accepts no more events.'),
  ACTOR_STUCK: errorRow(409, 'later', 'The actor cannot process one of its internal events.'),
  ACTOR_UNKNOWN: errorRow(404, 'never', 'No actor has this id.'),
  AGENT_TURNS_REFUSED: errorRow(
    422,
    'after_fix',
    'The supplied turns do not match those that the panel asked for.',
  ),
  ALERT_UNKNOWN: errorRow(404, 'never', 'No alert has this id.'),
  AUDIT_BUDGET: errorRow(429, 'never', 'The audit has used up its request budget for the target.'),
  AUDIT_STOPPED: errorRow(409, 'never', 'The audit of this target was stopped.'),
  AUDIT_TARGET_DOWN: errorRow(
    502,
    'later',
    'The target does not respond, or does not follow its protocol.',
  ),
  AUDIT_TARGET_UNKNOWN: errorRow(404, 'after_fix', 'The name is not an allowed audit target.'),
  AUDIT_UNKNOWN: errorRow(404, 'never', 'No audit has this id, or its report is not ready yet.'),
  AUDIT_UNPROVEN: errorRow(
    403,
    'after_fix',
    'You have not proven that you control the target’s origin.',
  ),
  BID_UNKNOWN: errorRow(404, 'never', 'No bid has this id.'),
  BODY_TOO_LARGE: errorRow(413, 'after_fix', 'The request body is larger than allowed.'),
  CHAIN_UNAVAILABLE: errorRow(503, 'later', 'The chain does not respond.'),
  CHALLENGE_REFUSED: errorRow(
    402,
    'never',
    'The wallet does not pay this kind of payment challenge.',
  ),
  CONFIG_INVALID: errorRow(500, 'after_fix', 'The configuration is invalid.'),
  CONTROL_OFF: errorRow(
    503,
    'later',
    'The control is not LIVE on this server; you are not charged.',
  ),
  CONTROL_UNKNOWN: errorRow(404, 'never', 'No control has this id.'),
  COSIGNATURE_FORGED: errorRow(
    401,
    'never',
    'The cosignature is not the witness’s signature of this text.',
  ),
  DATA_DAMAGED: errorRow(500, 'after_fix', 'A file in the data directory is damaged or missing.'),
  DATA_DIR_BUSY: errorRow(409, 'later', 'Another process is using the data directory.'),
  DATA_DIR_COPIED: errorRow(409, 'after_fix', 'The data directory is a copy of another one.'),
  DATA_DIR_UNUSABLE: errorRow(500, 'after_fix', 'The data directory cannot be read or written.'),
  DEAD_LETTER_UNKNOWN: errorRow(404, 'never', 'No dead letter has this id.'),
  DELEGATION_INVALID: errorRow(422, 'after_fix', 'The delegation chain is not valid.'),
  DELEGATION_UNKNOWN: errorRow(404, 'never', 'No delegation has this id.'),
  DELIVERABLES_FULL: errorRow(507, 'later', 'The quota for unpaid deliverables is used up.'),
  DELIVERABLE_HELD: errorRow(
    402,
    'later',
    'The deliverable becomes available once the job is released.',
  ),
  DISPUTE_OPEN: errorRow(409, 'later', 'An arbitration of this job is already open.'),
  DISPUTE_UNAVAILABLE: errorRow(
    409,
    'after_fix',
    'The job has no settlement that can be contested.',
  ),
  DISPUTE_UNKNOWN: errorRow(404, 'never', 'No arbitration has been filed for this job.'),
  EGRESS_BLOCKED: errorRow(422, 'never', 'The address is not public, or is not allowed.'),
  EGRESS_FAILED: errorRow(502, 'later', 'The remote host did not return a usable response.'),
  EGRESS_REFUSED: errorRow(
    502,
    'never',
    'The remote host refused the request, no longer exists, or has no such resource.',
  ),
  EGRESS_TIMEOUT: errorRow(504, 'later', 'The remote host took too long to respond.'),
  EGRESS_TOO_LARGE: errorRow(502, 'never', 'The response is larger than allowed.'),
  ENTRY_EXPIRED: errorRow(
    401,
    'after_fix',
    'The console access code has expired. Run `stoa console` for a new one.',
  ),
  ENTRY_UNKNOWN: errorRow(
    401,
    'after_fix',
    'The console access code is not valid. Run `stoa console` for a new one.',
  ),
  ENTRY_USED: errorRow(
    401,
    'after_fix',
    'The console access code was already used. Run `stoa console` for a new one.',
  ),
  EVENT_POISON: errorRow(
    500,
    'never',
    'The machine failed on this event; the actor kept its previous state.',
  ),
  EVENT_UNEXPECTED: errorRow(
    409,
    'after_fix',
    'The actor does not accept this event in its current state.',
  ),
  EVIDENCE_DUPLICATE: errorRow(409, 'never', 'This party has already submitted the same evidence.'),
  EVIDENCE_EMPTY: errorRow(
    422,
    'after_fix',
    'Submit at least one piece of evidence, or declare that you have finished.',
  ),
  EVIDENCE_LATE: errorRow(409, 'never', 'The evidence window is closed for this party.'),
  EVIDENCE_TOO_LARGE: errorRow(
    413,
    'after_fix',
    'The evidence of this party is larger than allowed.',
  ),
  FACILITATOR_UNAVAILABLE: errorRow(503, 'later', 'The payment facilitator does not respond.'),
  FORBIDDEN: errorRow(403, 'never', 'The caller is not allowed to do this.'),
  GAS_BUDGET: errorRow(429, 'later', 'The operator’s gas budget for today is used up.'),
  GAS_LIMIT: errorRow(422, 'after_fix', 'The call needs more gas than the operator pays for.'),
  HOST_CAPACITY: errorRow(
    409,
    'after_fix',
    'The host does not have enough free capacity for this order.',
  ),
  HOST_UNAVAILABLE: errorRow(503, 'later', 'The service host does not respond.'),
  IDEMPOTENCY_CONFLICT: errorRow(
    409,
    'after_fix',
    'The idempotency key was used for another event of this actor.',
  ),
  INPUT_INVALID: errorRow(422, 'after_fix', 'The input does not match the schema.'),
  INTERNAL: errorRow(500, 'later', 'The server failed.'),
  INVARIANT: errorRow(500, 'never', 'An internal consistency check failed.'),
  JOB_UNKNOWN: errorRow(404, 'never', 'No job has this id.'),
  JOURNAL_TRIMMED: errorRow(
    410,
    'never',
    'The journal row was trimmed and is no longer available.',
  ),
  MOVE_UNAVAILABLE: errorRow(
    409,
    'after_fix',
    'The job or request does not allow this action in its current state.',
  ),
  MOVE_UNSIGNED: errorRow(
    401,
    'after_fix',
    'The action lacks the signature that the escrow requires.',
  ),
  NAME_TAKEN: errorRow(409, 'after_fix', 'The name is already taken.'),
  NOT_AT_REST: errorRow(503, 'later', 'The server did not become idle in time.'),
  NOT_A_PANEL: errorRow(409, 'never', 'The actor is not a panel.'),
  NOT_CONFIGURED: errorRow(
    503,
    'after_fix',
    'The operator has not configured what this call needs.',
  ),
  NOT_LINEARIZABLE: errorRow(500, 'never', 'No order of the operations explains the answers.'),
  NOT_THE_PARTY: errorRow(403, 'never', 'The caller is not the party that may do this.'),
  OUTPUT_CLOSED: errorRow(500, 'never', 'The output is closed.'),
  OVERLOADED: errorRow(
    503,
    'later',
    'The queue is full, so the server accepted nothing. Retry later.',
  ),
  PASSPORT_UNKNOWN: errorRow(404, 'never', 'No agent is registered under this name or id.'),
  PATHS_BOUND: errorRow(422, 'after_fix', 'The path search reached one of its limits.'),
  PATH_FAILED: errorRow(500, 'never', 'The state of the system under test differs from the model.'),
  PATH_INVALID: errorRow(422, 'after_fix', 'The path does not belong to this machine.'),
  PAYMENT_CONFLICT: errorRow(409, 'never', 'The payment was already used for another call.'),
  PAYMENT_DUPLICATED: errorRow(400, 'after_fix', 'The call carries more than one payment.'),
  PAYMENT_EXPIRED: errorRow(402, 'after_fix', 'The authorization has expired or is not valid yet.'),
  PAYMENT_FORGED: errorRow(402, 'never', 'The signature is not the payer’s.'),
  PAYMENT_FUNDS: errorRow(402, 'after_fix', 'The payer does not have enough funds.'),
  PAYMENT_MALFORMED: errorRow(400, 'after_fix', 'The payment cannot be parsed.'),
  PAYMENT_PENDING: errorRow(202, 'later', 'The payment is not final yet. Do not pay again.'),
  PAYMENT_REPLAYED: errorRow(402, 'never', 'The authorization was already spent.'),
  PAYMENT_REQUIRED: errorRow(402, 'after_fix', 'This tool requires payment.'),
  PAYMENT_UNDERPAID: errorRow(402, 'after_fix', 'The amount is below the price.'),
  PAYMENT_WRONG_ASSET: errorRow(
    402,
    'after_fix',
    'The asset or the payee differs from the requested one.',
  ),
  PAYMENT_WRONG_NETWORK: errorRow(402, 'after_fix', 'The network differs from the requested one.'),
  PORT_IN_USE: errorRow(409, 'after_fix', 'Another process is listening on the port.'),
  PROOF_UNKNOWN: errorRow(404, 'never', 'The proof log has no entry under this name.'),
  RATE_LIMITED: errorRow(429, 'later', 'Too many requests.'),
  REPLAY_VERSION_GONE: errorRow(
    410,
    'never',
    'The machine version that wrote this journal row is no longer available.',
  ),
  REQUEST_UNKNOWN: errorRow(404, 'never', 'No request has this id.'),
  RESOURCE_UNKNOWN: errorRow(404, 'after_fix', 'The workspace has no resource with this id.'),
  SEAL_UNKNOWN: errorRow(404, 'never', 'No seal has this id.'),
  SEAL_USED: errorRow(409, 'never', 'The seal was already used.'),
  SEQ_CONFLICT: errorRow(
    409,
    'after_fix',
    'The actor is already past the expected sequence number.',
  ),
  SEQ_UNKNOWN: errorRow(404, 'never', 'The journal has no row with this sequence number.'),
  SERVER_UNREACHABLE: errorRow(503, 'later', 'The remote Stoa server does not respond.'),
  SESSION_UNKNOWN: errorRow(404, 'after_fix', 'No session has this id.'),
  SETTLEMENT_FAILED: errorRow(402, 'after_fix', 'The chain rejected the payment.'),
  SPENDING_CAP: errorRow(402, 'after_fix', 'The price exceeds a spending cap of the wallet.'),
  SQL_BLOCKED: errorRow(
    403,
    'after_fix',
    'The IP allowlist of the database blocks connections from this server.',
  ),
  SQL_REFUSED: errorRow(422, 'after_fix', 'The database rejected the statement.'),
  SQL_TIMEOUT: errorRow(504, 'after_fix', 'The statement took too long and was canceled.'),
  STORE_FULL: errorRow(
    507,
    'later',
    'Free disk space has reached the reserve; only reads still work.',
  ),
  STORE_NEWER: errorRow(500, 'never', 'A newer version wrote this store.'),
  TOOLSET_UNKNOWN: errorRow(404, 'after_fix', 'No toolset has this name.'),
  TOOL_RETIRED: errorRow(410, 'never', 'The tool is retired; you are not charged.'),
  TOOL_UNKNOWN: errorRow(404, 'after_fix', 'No tool has this name.'),
  TREASURY_SHARED: errorRow(409, 'after_fix', 'Another server is using the treasury.'),
  UNAUTHORIZED: errorRow(401, 'after_fix', 'A valid token is required.'),
  VERSION_UNSUPPORTED: errorRow(
    400,
    'after_fix',
    'This server does not support the protocol version.',
  ),
  WALLET_EXPIRED: errorRow(
    401,
    'after_fix',
    'The signed request is too old, or its date is too far in the future.',
  ),
  WALLET_FORGED: errorRow(
    401,
    'after_fix',
    'The signature is not the wallet’s signature of this request.',
  ),
  WALLET_NONCE_USED: errorRow(409, 'after_fix', 'The nonce was already used for another request.'),
  WALLET_ORIGIN: errorRow(401, 'after_fix', 'The signature is not bound to this server’s origin.'),
  WALLET_REQUIRED: errorRow(401, 'after_fix', 'A wallet must sign this request.'),
  WEBHOOK_UNKNOWN: errorRow(404, 'never', 'No webhook has this id.'),
  WORKSPACE_MISMATCH: errorRow(409, 'after_fix', 'The resource belongs to another workspace.'),
  WORKSPACE_REQUIRED: errorRow(422, 'after_fix', 'The call does not name a workspace.'),
} as const satisfies Record<string, ErrorRow>;

/** A public error code. */
export type ErrorCode = keyof typeof ERRORS;

/** The wire form of an error. */
export interface ErrorBody {
  readonly error: ErrorCode;
  readonly message: string;
  readonly retry: Retry;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly doc: string;
}

/** The only error class: a code from {@link ERRORS}, facts in `data` (no secrets), and a cause. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, facts: ErrorDetails = {}) {
    super(facts.message ?? ERRORS[code].summary, { cause: facts.cause });
    this.name = 'AppError';
    this.code = code;
    this.data = facts.data ?? {};
  }
}

/** Details of an error: a more specific message, received and allowed values, the cause. */
export interface ErrorDetails {
  readonly message?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Creates the `CONFIG_INVALID` error of a flag or variable, from a phrase for allowed values. */
export function invalidSetting(name: string, received: string, allowed: string): AppError {
  return new AppError('CONFIG_INVALID', {
    message: `${name} is ${JSON.stringify(received)}; it must be ${allowed}.`,
    data: { name, received, allowed },
  });
}

/** Returns whether a code has a row in {@link ERRORS}. */
export function isErrorCode(code: string | undefined): code is ErrorCode {
  return code !== undefined && Object.hasOwn(ERRORS, code);
}

/** Converts any thrown value to an AppError; an unknown failure becomes `INTERNAL`. */
export function toAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : new AppError('INTERNAL', { cause: thrown });
}

/** Returns the wire form of an error. The cause is never part of it. */
export function errorBody(error: AppError): ErrorBody {
  const { status: _status, retry } = ERRORS[error.code];
  const doc = `docs/errors.md#${error.code.toLowerCase()}`;
  const data = Object.keys(error.data).length > 0 ? { data: error.data } : {};
  return { error: error.code, message: error.message, retry, ...data, doc };
}

/**
 * Asserts an internal invariant.
 *
 * @throws {AppError} `INVARIANT`
 */
export function invariant(condition: boolean, why: string): asserts condition {
  if (!condition) throw new AppError('INVARIANT', { message: why });
}

function errorRow(status: number, retry: Retry, summary: string): ErrorRow {
  return { status, retry, summary };
}
