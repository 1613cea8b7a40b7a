import { constants } from 'node:os';
import { isAbsolute, relative } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import { storeError } from '../../store/common/store-error.ts';

/** System errors that mean a full disk or quota. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG', 28, 122, 27];
/** System errors that mean a file of the wrong kind or without access. */
const OUT_OF_REACH: Readonly<Record<string, string>> = {
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
export function refuseEarlyClock(now: number): void {
  if (now >= FIRST_TIME_MS) return;
  const received = new Date(now).toISOString();
  const allowed = new Date(FIRST_TIME_MS).toISOString();
  throw new AppError('CONFIG_INVALID', {
    message: `This machine's clock is ${received}; it must be ${allowed} or later. Set it.`,
    data: { received, allowed },
  });
}

/** Converts a startup failure to an error from the error table, with a remedy. */
export function nameStartFault(thrown: unknown, dataDir: string): unknown {
  if (thrown instanceof AppError && thrown.code !== 'INTERNAL') return thrown;
  for (let cause = thrown; cause instanceof Error; cause = cause.cause) {
    const named = nameCause(cause, dataDir);
    if (named !== undefined) return new AppError(named.code, { ...named, cause: thrown });
  }
  return thrown;
}

type Named = Pick<AppError, 'code' | 'message' | 'data'>;

function nameCause(cause: Error, dataDir: string): Named | undefined {
  return nameSystemFault(readFacts(cause), dataDir) ?? nameStoreFault(cause, dataDir);
}

function nameSystemFault({ code, path }: Facts, dataDir: string): Named | undefined {
  if (code === 'STORE_FULL' || FULL.includes(code)) return describeFull(path ?? dataDir);
  const name = typeof code === 'number' ? ERRNO[code] : String(code);
  if (name !== undefined && FEW_DESCRIPTORS.includes(name)) {
    const message = `Too many open files (${name}). Raise \`ulimit -n\` to 1,024.`;
    return { code: 'CONFIG_INVALID', message, data: { received: name } };
  }
  const why = OUT_OF_REACH[name ?? ''];
  if (why === undefined || (path !== undefined && !isWithin(path, dataDir))) return undefined;
  const file = path ?? dataDir;
  const message =
    `${file} cannot be used: ${why} (${name}). Choose a data directory with --data that the ` +
    'server can read and write.';
  return { code: 'DATA_DIR_UNUSABLE', message, data: { file } };
}

function nameStoreFault(cause: Error, dataDir: string): Named | undefined {
  if (!(cause instanceof EngineError)) return undefined;
  const told = storeError(cause);
  if (told instanceof AppError && told.code !== 'INTERNAL') return told;
  if (cause.code !== 'STORE_FAILED') return undefined;
  const file = readFacts(cause).path ?? dataDir;
  const message =
    `The store ${file} cannot be opened: ${cause.message}. Restore it from a copy of the whole ` +
    'data directory. Nothing was changed.';
  return { code: 'DATA_DAMAGED', message, data: { file } };
}

interface Facts {
  readonly code: unknown;
  readonly path?: string;
}

/** Reads the code and path of a failure. The engine stores LMDB's code in its data. */
function readFacts(cause: Error): Facts {
  const of = cause as Error & { readonly code?: unknown; readonly path?: unknown };
  const data = cause instanceof EngineError ? cause.data : {};
  const isFailure = cause instanceof EngineError && cause.code === 'STORE_FAILED';
  const path = of.path ?? data['path'];
  return {
    code: isFailure ? (data['code'] ?? of.code) : of.code,
    ...(typeof path === 'string' ? { path } : {}),
  };
}

function describeFull(path: string): Named {
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
