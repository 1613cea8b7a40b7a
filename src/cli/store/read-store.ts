import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import type { SyncEngineStore } from '../../runtime/engine/ports.ts';
import { DATA_FILE } from '../../store/common/folder.ts';
import { openEngineStore } from '../../store/engine/engine-store.ts';
import { withStoreErrors } from './store-faults.ts';

/**
 * Reads a store of any program, also while the program runs.
 *
 * @throws {AppError} `CONFIG_INVALID` if the folder has no store; `DATA_DAMAGED`, `STORE_NEWER`.
 */
export async function readStore<T>(
  folder: string,
  read: (store: SyncEngineStore) => T | Promise<T>,
): Promise<T> {
  requireStore(folder);
  return withStoreErrors(folder, async () => {
    const store = openEngineStore({ path: folder, readOnly: true });
    try {
      return await read(store);
    } finally {
      await store.close();
    }
  });
}

/** @throws {AppError} `CONFIG_INVALID` */
export function requireStore(folder: string): void {
  if (existsSync(join(folder, DATA_FILE))) return;
  const message = `${folder} is not the folder of a store: it has no ${DATA_FILE}.`;
  throw new AppError('CONFIG_INVALID', { message, data: { folder } });
}

/** @throws {AppError} `CONFIG_INVALID` */
export function parseCount(flag: string, given: string, max: number): number {
  const count = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(count) && count >= 1 && count <= max) return count;
  const message = `--${flag} is ${JSON.stringify(given)}; it must be 1 to ${max}.`;
  throw new AppError('CONFIG_INVALID', { message, data: { [flag]: given } });
}

/** Returns the error for an id that no actor has. */
export function unknownActor(folder: string, id: string): AppError {
  const message = `No actor has the id ${id}. List them with stoa store list ${folder}.`;
  return new AppError('ACTOR_UNKNOWN', { message, data: { id } });
}
