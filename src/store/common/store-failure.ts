import { EngineError } from '../../runtime/engine/error.ts';
import { freeBytes } from './folder.ts';

/** What systems and LMDB say when a file cannot grow: ENOSPC, EDQUOT, EFBIG, a full map. */
const FULL_CODES: readonly unknown[] = [28, 122, 27, 'ENOSPC', 'EDQUOT', 'EFBIG', -30_792];

/** A disk with less free space is full, in bytes. */
const FULL_BYTES = 64 * 1024;

/**
 * Names what made a commit or an opening fail: `STORE_FULL` where there was no room, else
 * `STORE_FAILED`. What is an engine's error already stays as it is.
 */
export async function storeFailure(thrown: unknown, path: string): Promise<EngineError> {
  if (thrown instanceof EngineError) return thrown;
  return namedFailure(await reasonOf(thrown), path);
}

/** As `storeFailure`, for what was thrown at once. */
export function namedFailure(cause: unknown, path: string): EngineError {
  if (cause instanceof EngineError) return cause;
  const { code } = cause as { readonly code?: unknown };
  // A write that is cut short by a full disk is told as a fault of it.
  const isFull = FULL_CODES.includes(code) || freeBytes(path) < FULL_BYTES;
  const words = isFull ? 'there is no room for it' : 'the disk did not take it';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new EngineError(
    isFull ? 'STORE_FULL' : 'STORE_FAILED',
    `nothing was written, ${words}: ${reason}`,
    { data: { path, code: code ?? null }, cause },
  );
}

/** LMDB rejects a commit without a reason, which a second promise has. */
async function reasonOf(thrown: unknown): Promise<unknown> {
  const { commitError } = thrown as { readonly commitError?: Promise<unknown> };
  if (commitError === undefined) return thrown;
  try {
    await commitError;
    return thrown;
  } catch (reason) {
    return reason;
  }
}
