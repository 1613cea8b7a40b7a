import { constants } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import { convertStoreError } from '../../store/common/store-error.ts';

/** System errors that mean a full disk or quota. */
const DISK_FULL_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 28, 122, 27];
/** System errors that mean a file of the wrong kind or without access. */
const ACCESS_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EEXIST: 'another file is in its place',
  EIO: 'the disk cannot be read or written',
  EISDIR: 'a folder is in its place',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a file is in place of a folder',
  EPERM: 'permission is denied',
  EROFS: 'the disk is mounted read-only',
};
/** Names of the numeric codes that LMDB returns instead. */
const ERRNO: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(constants.errno).map(([name, number]) => [number, name]),
);
const FEW_DESCRIPTORS: readonly string[] = ['EMFILE', 'ENFILE'];
/** An earlier date means an unset clock, with which timers would never fire. */
const FIRST_TIME_MS = Date.UTC(2020, 0, 1);

/**
 * Rejects an unset clock: deadlines, signatures and retention depend on it.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function rejectUnsetClock(now: number): void {
  if (now >= FIRST_TIME_MS) return;
  const received = new Date(now).toISOString();
  const allowed = new Date(FIRST_TIME_MS).toISOString();
  throw new AppError('CONFIG_INVALID', {
    message: `This machine's clock is ${received}; it must be ${allowed} or later. Set it.`,
    data: { received, allowed },
  });
}

/** Converts a startup failure to an error from the error table, with a remedy. */
export function toStartupError(thrown: unknown, dataDir: string): unknown {
  if (thrown instanceof AppError && thrown.code !== 'INTERNAL') return thrown;
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    const named = describeCause(cause, dataDir);
    if (named !== undefined) return new AppError(named.code, { ...named, cause: thrown });
  }
  return thrown;
}

type ErrorDescription = Pick<AppError, 'code' | 'message' | 'data'>;

function describeCause(cause: Error, dataDir: string): ErrorDescription | undefined {
  return describeSystemError(readErrorFacts(cause), dataDir) ?? describeStoreError(cause, dataDir);
}

function describeSystemError(
  { code, path }: ErrorFacts,
  dataDir: string,
): ErrorDescription | undefined {
  if (code === 'STORE_FULL' || DISK_FULL_CODES.includes(code)) return describeFull(path ?? dataDir);
  const name = typeof code === 'number' ? ERRNO[code] : String(code);
  if (name !== undefined && FEW_DESCRIPTORS.includes(name)) {
    const message = `Too many open files (${name}). Raise \`ulimit -n\` to 1,024.`;
    return { code: 'CONFIG_INVALID', message, data: { received: name } };
  }
  const why = ACCESS_ERRORS[name ?? ''];
  if (why === undefined || (path !== undefined && !isWithin(path, dataDir))) return undefined;
  const file = path ?? dataDir;
  const message =
    `${file} cannot be used: ${why} (${name}). Choose a data directory with --data that the ` +
    'server can read and write.';
  return { code: 'DATA_DIR_UNUSABLE', message, data: { file } };
}

function describeStoreError(cause: Error, dataDir: string): ErrorDescription | undefined {
  if (!(cause instanceof EngineError)) return undefined;
  const known = convertStoreError(cause);
  if (known instanceof AppError && known.code !== 'INTERNAL') return known;
  if (cause.code !== 'STORE_FAILED') return undefined;
  const file = readErrorFacts(cause).path ?? dataDir;
  const message =
    `The store ${file} cannot be opened: ${trimEndChars(cause.message, '.')}. ` +
    'Restore it from a copy of the whole data directory. Nothing was changed.';
  return { code: 'DATA_DAMAGED', message, data: { file } };
}

interface ErrorFacts {
  readonly code: unknown;
  readonly path?: string;
}

/** Reads the code and path of a failure. The engine stores LMDB's code in its data. */
function readErrorFacts(cause: Error): ErrorFacts {
  const of = cause as Error & { readonly code?: unknown; readonly path?: unknown };
  const data = cause instanceof EngineError ? cause.data : {};
  const isFailure = cause instanceof EngineError && cause.code === 'STORE_FAILED';
  const path = of.path ?? data['path'];
  return {
    code: isFailure ? (data['code'] ?? of.code) : of.code,
    ...(typeof path === 'string' ? { path } : {}),
  };
}

function describeFull(path: string): ErrorDescription {
  return {
    code: 'STORE_FULL',
    message:
      `The disk of ${path} is full: the server keeps 128 MiB free. Free space, raise the quota, ` +
      'or choose another data directory with --data. Then start again.',
    data: { file: path },
  };
}

function isWithin(path: string, dataDir: string): boolean {
  const from = relative(dataDir, path);
  return from === '' || (!from.startsWith('..') && !isAbsolute(from));
}

/** Returns the stack of the innermost cause, for the operator's log. */
export function stackOrMessage({ cause, message }: AppError): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : message;
}
