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
  ACTION_OFF: row(403, 'after_fix', 'The operator has not turned this action on.'),
  ACTOR_CLOSED: row(409, 'never', 'The actor has finished and takes no more events.'),
  ACTOR_STUCK: row(409, 'later', 'The actor met an internal event that it cannot process.'),
  ACTOR_UNKNOWN: row(404, 'never', 'No actor has this id.'),
  AGENT_TURNS_REFUSED: row(422, 'after_fix', 'The turns do not fit what the panel asked for.'),
  ALERT_UNKNOWN: row(404, 'never', 'No alert has this id.'),
  AUDIT_BUDGET: row(429, 'never', 'The audit has spent what it may on its target.'),
  AUDIT_STOPPED: row(409, 'never', 'The audit of the target was ended.'),
  AUDIT_TARGET_DOWN: row(502, 'later', 'The target does not answer, or not in its protocol.'),
  AUDIT_TARGET_UNKNOWN: row(404, 'after_fix', 'The operator allows no target of this name.'),
  AUDIT_UNKNOWN: row(404, 'never', 'No audit has this id, or its report is not there yet.'),
  AUDIT_UNPROVEN: row(403, 'after_fix', 'Control of the target’s origin is not proven.'),
  BID_UNKNOWN: row(404, 'never', 'No bid has this id.'),
  BODY_TOO_LARGE: row(413, 'after_fix', 'The body is larger than allowed.'),
  CHAIN_UNAVAILABLE: row(503, 'later', 'The chain does not answer.'),
  CHALLENGE_REFUSED: row(402, 'never', 'The demand for payment is not one that the wallet pays.'),
  CONFIG_INVALID: row(500, 'after_fix', 'The configuration is wrong.'),
  CONTROL_OFF: row(503, 'later', 'The control is not LIVE here; nothing is charged.'),
  CONTROL_UNKNOWN: row(404, 'never', 'No control has this id.'),
  COSIGNATURE_FORGED: row(401, 'never', 'The cosignature is not the witness’s for this text.'),
  DATA_DAMAGED: row(500, 'after_fix', 'A file of the data directory is damaged or missing.'),
  DATA_DIR_BUSY: row(409, 'later', 'Another process owns the data directory.'),
  DATA_DIR_COPIED: row(409, 'after_fix', 'The data directory is a copy of another one.'),
  DATA_DIR_UNUSABLE: row(500, 'after_fix', 'The data directory cannot be read or written.'),
  DEAD_LETTER_UNKNOWN: row(404, 'never', 'No dead letter has this id.'),
  DELEGATION_INVALID: row(422, 'after_fix', 'The chain of delegations does not hold.'),
  DELEGATION_UNKNOWN: row(404, 'never', 'No delegation has this id.'),
  DELIVERABLES_FULL: row(
    507,
    'later',
    'The quota for deliverables that nobody has paid for is used up.',
  ),
  DELIVERABLE_HELD: row(402, 'later', 'The deliverable is given out once the job is released.'),
  DISPUTE_OPEN: row(409, 'later', 'An arbitration of this job is open already.'),
  DISPUTE_UNAVAILABLE: row(409, 'after_fix', 'The job has no settlement that can be contested.'),
  DISPUTE_UNKNOWN: row(404, 'never', 'No arbitration of this job was filed.'),
  EGRESS_BLOCKED: row(422, 'never', 'The address is not public, or not allowed.'),
  EGRESS_FAILED: row(502, 'later', 'The remote host did not give a usable answer.'),
  EGRESS_REFUSED: row(
    502,
    'never',
    'The remote host refuses us, is gone, or lacks what was asked.',
  ),
  EGRESS_TIMEOUT: row(504, 'later', 'The remote host took too long.'),
  EGRESS_TOO_LARGE: row(502, 'never', 'The answer is larger than allowed.'),
  ENTRY_EXPIRED: row(401, 'after_fix', 'The code that opens the console is too old.'),
  ENTRY_UNKNOWN: row(401, 'after_fix', 'No code of this kind opens the console.'),
  ENTRY_USED: row(401, 'after_fix', 'The code that opens the console was used before.'),
  EVENT_POISON: row(500, 'never', 'The event made the machine throw; its state was kept.'),
  EVENT_UNEXPECTED: row(409, 'after_fix', 'The actor does not take this event in its state.'),
  EVIDENCE_DUPLICATE: row(409, 'never', 'This side has handed in the same evidence before.'),
  EVIDENCE_EMPTY: row(422, 'after_fix', 'Nothing was handed in, and it is not the end either.'),
  EVIDENCE_LATE: row(409, 'never', 'The window for evidence is closed for this side.'),
  EVIDENCE_TOO_LARGE: row(413, 'after_fix', 'The evidence of a side is larger than allowed.'),
  FORBIDDEN: row(403, 'never', 'The caller may not do this.'),
  GAS_BUDGET: row(429, 'later', 'The gas that the operator gives away in a day is used up.'),
  GAS_LIMIT: row(422, 'after_fix', 'The call needs more gas than the operator pays for.'),
  HOST_CAPACITY: row(409, 'after_fix', 'The machine has no room for what was ordered.'),
  HOST_UNAVAILABLE: row(503, 'later', 'The host of services does not answer.'),
  INPUT_INVALID: row(422, 'after_fix', 'The input does not fit the schema.'),
  INTERNAL: row(500, 'later', 'Something failed on our side.'),
  INVARIANT: row(500, 'never', 'A rule of the program was broken.'),
  JOB_UNKNOWN: row(404, 'never', 'No job has this id.'),
  JOURNAL_TRIMMED: row(410, 'never', 'The row is not kept any more.'),
  MOVE_UNAVAILABLE: row(
    409,
    'after_fix',
    'The job or request does not take this move in its state.',
  ),
  MOVE_UNSIGNED: row(401, 'after_fix', 'The move lacks the signature that the escrow asks for.'),
  NAME_TAKEN: row(409, 'after_fix', 'The name is taken already.'),
  NOT_AT_REST: row(503, 'later', 'The server did not come to rest in time.'),
  NOT_A_PANEL: row(409, 'never', 'The actor is of a kind that is no panel.'),
  NOT_CONFIGURED: row(503, 'after_fix', 'The operator has not set up what this needs.'),
  NOT_THE_PARTY: row(403, 'never', 'The move is another party’s.'),
  OUTPUT_CLOSED: row(500, 'never', 'Nobody reads the output any more.'),
  OVERLOADED: row(503, 'later', 'Too much is waiting; nothing was taken.'),
  PASSPORT_UNKNOWN: row(404, 'never', 'No agent is registered under this name or id.'),
  PATHS_BOUND: row(422, 'after_fix', 'A search for paths reached one of its bounds.'),
  PATH_FAILED: row(500, 'never', 'The system under test is not where the model is.'),
  PATH_INVALID: row(422, 'after_fix', 'The path is not one of this machine.'),
  PAYMENT_CONFLICT: row(409, 'never', 'The payment was already used for another call.'),
  PAYMENT_DUPLICATED: row(400, 'after_fix', 'More than one payment was presented.'),
  PAYMENT_EXPIRED: row(402, 'after_fix', 'The authorization is no longer valid, or not yet.'),
  PAYMENT_FORGED: row(402, 'never', 'The signature is not the payer’s.'),
  PAYMENT_FUNDS: row(402, 'after_fix', 'The payer does not hold the amount.'),
  PAYMENT_MALFORMED: row(400, 'after_fix', 'The payment cannot be read.'),
  PAYMENT_PENDING: row(202, 'later', 'The payment is not final yet; do not pay again.'),
  PAYMENT_REPLAYED: row(402, 'never', 'The authorization was already spent.'),
  PAYMENT_REQUIRED: row(402, 'after_fix', 'The tool has a price.'),
  PAYMENT_UNDERPAID: row(402, 'after_fix', 'The amount is below the price.'),
  PAYMENT_WRONG_ASSET: row(402, 'after_fix', 'The asset or the payee is not the one asked for.'),
  PAYMENT_WRONG_NETWORK: row(402, 'after_fix', 'The network is not the one asked for.'),
  PORT_IN_USE: row(409, 'after_fix', 'Another process listens on the port.'),
  PROOF_UNKNOWN: row(404, 'never', 'The log of proofs has nothing under this name.'),
  RATE_LIMITED: row(429, 'later', 'Too many requests.'),
  REPLAY_VERSION_GONE: row(410, 'never', 'The row is of a version that is not here any more.'),
  REQUEST_UNKNOWN: row(404, 'never', 'No request has this id.'),
  RESOURCE_UNKNOWN: row(404, 'after_fix', 'The workspace has no resource of this id.'),
  SEAL_UNKNOWN: row(404, 'never', 'No seal has this id.'),
  SEAL_USED: row(409, 'never', 'The seal was used before.'),
  SEQ_CONFLICT: row(409, 'after_fix', 'The actor has moved on since the expected sequence number.'),
  SEQ_UNKNOWN: row(404, 'never', 'The journal has no such row.'),
  SERVER_UNREACHABLE: row(503, 'later', 'The server that is forwarded to does not answer.'),
  SESSION_UNKNOWN: row(404, 'after_fix', 'No session has this id.'),
  SETTLEMENT_FAILED: row(402, 'after_fix', 'The chain did not take the payment.'),
  SPENDING_CAP: row(402, 'after_fix', 'The price is above a spending cap of the wallet.'),
  SQL_BLOCKED: row(
    403,
    'after_fix',
    'The allowlist of the database lets no one connect from here.',
  ),
  SQL_REFUSED: row(422, 'after_fix', 'The database refused the statement.'),
  SQL_TIMEOUT: row(504, 'after_fix', 'The statement took too long and was ended.'),
  STORE_FULL: row(507, 'later', 'The disk reserve is reached; reads still work.'),
  STORE_NEWER: row(500, 'never', 'The store was written by a newer version.'),
  TOOLSET_UNKNOWN: row(404, 'after_fix', 'No group of tools has this name.'),
  TOOL_RETIRED: row(410, 'never', 'The tool is retired; nothing is charged.'),
  TOOL_UNKNOWN: row(404, 'after_fix', 'No tool has this name.'),
  TREASURY_SHARED: row(409, 'after_fix', 'Another server uses the treasury.'),
  UNAUTHORIZED: row(401, 'after_fix', 'A valid token is needed.'),
  VERSION_UNSUPPORTED: row(400, 'after_fix', 'The protocol version is not supported here.'),
  WALLET_EXPIRED: row(401, 'after_fix', 'The signed request is too old, or dated too far ahead.'),
  WALLET_FORGED: row(401, 'after_fix', 'The signature is not the wallet’s for this request.'),
  WALLET_NONCE_USED: row(409, 'after_fix', 'The nonce was used for another request.'),
  WALLET_ORIGIN: row(401, 'after_fix', 'The signature is not bound to this server’s origin.'),
  WALLET_REQUIRED: row(401, 'after_fix', 'The request must be signed by a wallet.'),
  WEBHOOK_UNKNOWN: row(404, 'never', 'No webhook has this id.'),
  WORKSPACE_MISMATCH: row(409, 'after_fix', 'The resource belongs to another workspace.'),
  WORKSPACE_REQUIRED: row(422, 'after_fix', 'The call names no workspace.'),
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

  constructor(code: ErrorCode, facts: ErrorFacts = {}) {
    super(facts.message ?? ERRORS[code].summary, { cause: facts.cause });
    this.name = 'AppError';
    this.code = code;
    this.data = facts.data ?? {};
  }
}

/** Details of an error: a more specific message, received and allowed values, the cause. */
export interface ErrorFacts {
  readonly message?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
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
export function invariant(claim: boolean, why: string): asserts claim {
  if (!claim) throw new AppError('INVARIANT', { message: why });
}

function row(status: number, retry: Retry, summary: string): ErrorRow {
  return { status, retry, summary };
}
