import type { BlobStore } from '../../domain/common/blob-store.ts';
import { AppError } from '../../domain/common/error.ts';

/**
 * Loads stored JSON that a job refers to by hash.
 *
 * @throws {AppError} `INVARIANT` if it is missing.
 */
export function loadStoredJson(blobs: Pick<BlobStore, 'get'>, sha: string): unknown {
  const text = blobs.get(sha);
  if (text === undefined) {
    throw new AppError('INVARIANT', { message: 'every blob that a job refers to is stored' });
  }
  return JSON.parse(text) as unknown;
}
