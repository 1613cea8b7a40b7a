import { AppError, type ErrorCode, errorBody } from '../common/error.ts';

/** The errors that the protocol names: their JSON-RPC codes, and the errors here that they are. */
const FAULTS = {
  TASK_NOT_FOUND: { rpc: -32_001, code: 'JOB_UNKNOWN' },
  TASK_NOT_CANCELABLE: { rpc: -32_002, code: 'ACTOR_CLOSED' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { rpc: -32_003, code: 'NOT_CONFIGURED' },
  UNSUPPORTED_OPERATION: { rpc: -32_004, code: 'ACTOR_CLOSED' },
  CONTENT_TYPE_NOT_SUPPORTED: { rpc: -32_005, code: 'INPUT_INVALID' },
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: { rpc: -32_007, code: 'NOT_CONFIGURED' },
  VERSION_NOT_SUPPORTED: { rpc: -32_009, code: 'VERSION_UNSUPPORTED' },
} as const satisfies Record<string, { readonly rpc: number; readonly code: ErrorCode }>;
/** The name of an error of the protocol. */
export type FaultReason = keyof typeof FAULTS;

const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;
const REFUSED = -32_000;
const REASON = 'a2a_reason';

/** What is wrong, and what is allowed instead. */
export interface FaultFacts {
  readonly message: string;
  readonly received?: unknown;
  readonly allowed?: unknown;
}

/** Creates an error that the protocol names. */
export function protocolFault(reason: FaultReason, { message, ...data }: FaultFacts): AppError {
  return new AppError(FAULTS[reason].code, { message, data: { ...data, [REASON]: reason } });
}

/** Creates the error of a parameter, such as `message.parts`. */
export function paramFault(field: string, { message, ...data }: FaultFacts): AppError {
  return new AppError('INPUT_INVALID', { message, data: { ...data, field } });
}

/** Codes of errors in what the caller sent. */
const CALLER_CODES: readonly ErrorCode[] = [
  'AGENT_TURNS_REFUSED',
  'EGRESS_BLOCKED',
  'INPUT_INVALID',
  'TOOL_UNKNOWN',
];
const INTERNAL_CODES: readonly ErrorCode[] = ['INTERNAL', 'INVARIANT'];

/** Converts an error to a JSON-RPC error with details as the protocol defines them. */
export function toRpcFault(error: AppError) {
  const { [REASON]: named, ...data } = error.data;
  const body = errorBody(new AppError(error.code, { message: error.message, data }));
  const reason = isReason(named) ? named : error.code;
  const { field } = data;
  const violation =
    typeof field === 'string'
      ? [
          {
            '@type': 'type.googleapis.com/google.rpc.BadRequest',
            fieldViolations: [{ field, description: error.message }],
          },
        ]
      : [];
  return {
    code: rpcCodeOf(error.code, named),
    message: error.message,
    data: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason,
        domain: isReason(named) ? 'a2a-protocol.org' : 'stoa',
        metadata: toTexts({ ...data, retry: body.retry, doc: body.doc }),
      },
      ...violation,
    ],
  };
}

function rpcCodeOf(code: ErrorCode, named: unknown): number {
  if (isReason(named)) return FAULTS[named].rpc;
  if (code === 'JOB_UNKNOWN') return FAULTS.TASK_NOT_FOUND.rpc;
  if (CALLER_CODES.includes(code)) return INVALID_PARAMS;
  return INTERNAL_CODES.includes(code) ? INTERNAL : REFUSED;
}

function isReason(named: unknown): named is FaultReason {
  return typeof named === 'string' && Object.hasOwn(FAULTS, named);
}

/** The metadata of an `ErrorInfo` are texts. */
function toTexts(data: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );
}
