import { AppError, type ErrorCode } from '../../domain/common/error.ts';

/** Maximum characters of a received value that an error repeats. */
const RECEIVED_CHARS_MAX = 100;

/** An invalid parameter of a call. */
export interface InvalidParameter {
  readonly path: string;
  /** The received value. Must not be a secret. */
  readonly received: unknown;
  readonly allowed: string;
  /** A sentence that follows them. */
  readonly why?: string;
  /** Further machine-readable facts. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Creates an error in the form of schema errors: parameter, received value, allowed values. */
export function parameterError(
  fault: InvalidParameter,
  code: ErrorCode = 'INPUT_INVALID',
): AppError {
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
