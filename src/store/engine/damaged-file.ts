import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../runtime/engine/error.ts';
import { DATA_FILE } from '../common/folder.ts';
import { rejectOwned } from '../common/folder-lock.ts';
import { checkFile } from './check-file.ts';

/**
 * Rejects a file whose pages are damaged, before LMDB maps it: LMDB would end the process.
 *
 * @throws {EngineError} `DATA_DAMAGED`; `STORE_BUSY` if its owner writes to it at this moment.
 */
export function rejectDamagedFile(
  path: string,
  { readOnly }: { readonly readOnly: boolean },
): void {
  const file = join(path, DATA_FILE);
  const sizeBytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  // LMDB creates the file empty; a crash can leave it so.
  if (sizeBytes === 0) return;
  const { fault, commit } = checkFile(file);
  if (fault === undefined || isInUse(path, readOnly)) return;
  const message =
    `${file} is damaged: ${fault} Restore the folder from a copy. Nothing was changed; rows on ` +
    'other pages are still in the file.';
  const data = { file, place: fault, ...(commit === undefined ? {} : { lastCommit: commit }) };
  throw new EngineError('DATA_DAMAGED', message, { data });
}

/** A file that is written while it is read can look damaged. */
function isInUse(path: string, readOnly: boolean): boolean {
  try {
    rejectOwned(path);
    return false;
  } catch (thrown) {
    if (readOnly) return true;
    throw thrown;
  }
}
