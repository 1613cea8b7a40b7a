import { AppError, type ErrorCode } from '../../domain/common/error.ts';

/** Most characters of a received value that an error repeats. */
const RECEIVED_CHARS_MAX = 100;

/** What is wrong with one parameter of a call. */
export interface ParameterFault {
  readonly path: string;
  /** Never a secret. */
  readonly received: unknown;
  readonly allowed: string;
  /** What stands behind the three, as a sentence. */
  readonly why?: string;
  /** Facts for programs beside the fault. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Words a fault as those of the schema are worded: the parameter, what came, what is allowed. */
export function parameterFault(fault: ParameterFault, code: ErrorCode = 'INPUT_INVALID'): AppError {
  const { path, allowed, why, data, cause } = fault;
  const text = JSON.stringify(fault.received) ?? 'nothing';
  const received =
    text.length <= RECEIVED_CHARS_MAX ? text : `${text.slice(0, RECEIVED_CHARS_MAX)}…`;
  const line = `${path}: received ${received}, allowed: ${allowed}`;
  return new AppError(code, {
    message: why === undefined ? line : `${line}. ${why}`,
    data: { ...data, faults: [{ path, received, allowed }] },
    cause,
  });
}
