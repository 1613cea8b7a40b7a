import { AppError } from '../domain/error.ts';
import type { BlobStore } from '../domain/ports/blob-store.ts';

/**
 * Loads JSON that a job keeps by hash.
 *
 * @throws {AppError} `INVARIANT` when it is gone.
 */
export function loadKept(blobs: Pick<BlobStore, 'get'>, sha: string): unknown {
  const text = blobs.get(sha);
  if (text === undefined) {
    throw new AppError('INVARIANT', { message: 'what a job refers to is in the store' });
  }
  return JSON.parse(text) as unknown;
}
