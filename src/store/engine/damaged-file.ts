import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../runtime/engine/error.ts';
import { DATA_FILE } from '../common/folder.ts';
import { type FolderLock, isLeftOpen, keepOwnersOut } from '../common/folder-lock.ts';
import { checkFile } from './check-file.ts';
import type { RowCheck } from './row-check.ts';

/**
 * Rejects a file whose pages are damaged, before LMDB maps it: LMDB would end the process.
 *
 * @param lock - Absent if the store is opened read-only, perhaps beside its owner.
 * @param rows - Gets the rows. A damaged one concerns itself only.
 * @throws {EngineError} `DATA_DAMAGED` with the file, the place and what can be recovered.
 */
export function rejectDamagedFile(
  path: string,
  lock: FolderLock | undefined,
  rows: RowCheck | undefined,
): void {
  const file = join(path, DATA_FILE);
  const found = statSync(file, { throwIfNoEntry: false });
  // LMDB creates the file empty; its creator may have ended then.
  if (found === undefined || (found.size === 0 && lock?.isUnfinished === true)) return;
  // The owner has checked it, and writes it while it is read.
  if (lock === undefined && isLeftOpen(path) && hasOwner(path)) return;
  const { fault, commit } = checkFile(file, rows === undefined ? {} : { rows });
  const isWhole = fault === undefined && (rows === undefined || rows.damagedCount === 0);
  if (!isWhole && lock === undefined && hasOwner(path)) {
    rows?.forget();
    return;
  }
  if (fault === undefined) return;
  const rest =
    found.size === 0
      ? 'If the store was never used, delete the file. Otherwise restore the folder from a copy.'
      : 'Restore the folder from a copy, or write what can be read to a new store: ' +
        '`stoa store salvage`. `stoa store check` lists it.';
  const message = `${file} is damaged: ${fault} ${rest} Nothing was changed.`;
  const data = { file, place: fault, ...(commit === undefined ? {} : { lastCommit: commit }) };
  throw new EngineError('DATA_DAMAGED', message, { data });
}

function hasOwner(path: string): boolean {
  try {
    keepOwnersOut(path)();
    return false;
  } catch (thrown) {
    if (thrown instanceof EngineError && thrown.code === 'STORE_BUSY') return true;
    throw thrown;
  }
}
