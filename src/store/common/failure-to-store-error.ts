import { EngineError } from '../../runtime/engine/error.ts';
import { freeBytes } from './folder.ts';

/** Error codes for a file that cannot grow: ENOSPC, EDQUOT, EFBIG, LMDB's full map. */
const FULL_CODES: readonly unknown[] = [28, 122, 27, 'ENOSPC', 'EDQUOT', 'EFBIG', -30_792];

/** Free bytes below which a disk counts as full. */
const FULL_BYTES = 64 * 1024;

/**
 * Converts the failure of a commit or an opening: `STORE_FULL` if there was no space, else
 * `STORE_FAILED`. An `EngineError` is returned unchanged. Awaits the reason that LMDB gives in a
 * second promise.
 */
export async function resolveStoreError(thrown: unknown, path: string): Promise<EngineError> {
  if (thrown instanceof EngineError) return thrown;
  return toStoreError(await awaitReason(thrown), path);
}

/** Converts a failure that was thrown synchronously. */
export function toStoreError(cause: unknown, path: string): EngineError {
  if (cause instanceof EngineError) return cause;
  const { code } = cause as { readonly code?: unknown };
  // A write cut short by a full disk is reported as an I/O error.
  const isFull = FULL_CODES.includes(code) || freeBytes(path) < FULL_BYTES;
  const summary = isFull ? 'the disk is full' : 'the write failed';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EngineError(
    isFull ? 'STORE_FULL' : 'STORE_FAILED',
    `Nothing was written because ${summary}: ${reason}`,
    { data: { path, code: code ?? null }, cause },
  );
}

/** LMDB rejects a commit without a reason; a second promise provides it. */
async function awaitReason(thrown: unknown): Promise<unknown> {
  const { commitError } = thrown as { readonly commitError?: Promise<unknown> };
  if (commitError === undefined) return thrown;
  try {
    await commitError;
    return thrown;
  } catch (reason) {
    return reason;
  }
}
