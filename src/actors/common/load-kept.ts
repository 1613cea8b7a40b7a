import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';

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
