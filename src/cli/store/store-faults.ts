import { toInspectError } from '../../actors/inspect/inspect-error.ts';
import { AppError } from '../../domain/common/error.ts';
import { EngineError } from '../../runtime/engine/error.ts';

/** Runs work on a store. Errors of the engine, of any copy of the library, become public ones. */
export async function withStoreErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = toEngineError(thrown);
    if (error?.code === 'STORE_BUSY') throw busyError(folder, thrown);
    throw error === undefined ? thrown : toInspectError(error);
  }
}

function toEngineError(thrown: unknown): EngineError | undefined {
  if (thrown instanceof EngineError) return thrown;
  if (!(thrown instanceof Error) || thrown.name !== 'EngineError') return undefined;
  const { code, message, data, cause } = thrown as EngineError;
  return new EngineError(code, message, { data, cause });
}

function busyError(folder: string, cause: unknown): AppError {
  const message =
    `A program has ${folder} open. Stop it, or give the link of its inspector ` +
    'instead of the folder: openInspector(app) returns it.';
  return new AppError('DATA_DIR_BUSY', { message, data: { folder }, cause });
}
