import type { AppOptions, DurableApp, Machines } from '../../runtime/durable/durable-types.ts';
import { openApp } from '../../runtime/durable/open-app.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type { EngineStore } from '../../runtime/engine/ports.ts';
import { memoryStore } from '../../runtime/store/memory-store.ts';

/** Options of `durable`. */
export interface DurableOptions<All extends Machines> extends AppOptions<All> {
  /** Folder of the store on disk, created if missing; needs the package `lmdb`. */
  readonly path?: string;
  /** A store of your own instead of `path`. The app does not close it. Default: in memory. */
  readonly store?: EngineStore;
}

/**
 * Opens an app of durable actors: one typed member per kind.
 *
 * @throws {EngineError} `DEFINITION_INVALID` if a kind cannot be stored, two have the same name, or
 *   one is named `engine` or `close`; `MIGRATION_MISSING` as `createEngine`; `STORE_BUSY` if this
 *   process has the folder open already; `STORE_NEWER`; `STORE_FULL`; `STORE_FAILED`.
 * @example
 * const app = await durable({ path: './data', actors: { order } });
 * const o = await app.order.start('1', { item: 'lamp' });
 * await o.send({ type: 'CANCEL' });
 * const out = await o.result();
 */
export async function durable<All extends Machines>({
  path,
  store: ownStore,
  ...options
}: DurableOptions<All>): Promise<DurableApp<All>> {
  if (ownStore !== undefined) return openApp(options, ownStore, async () => undefined);
  const store = path === undefined ? memoryStore() : await openFolder(path);
  try {
    return openApp(options, store, () => store.close());
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Loads LMDB only where it is used, so that a program without a path does not need it. */
async function openFolder(path: string): Promise<EngineStore> {
  const { openEngineStore } = await import('../engine/engine-store.ts').catch((cause: unknown) => {
    const message = `The path ${path} needs the package lmdb: npm install lmdb`;
    throw new EngineError('STORE_FAILED', message, { data: { path }, cause });
  });
  return openEngineStore({ path });
}
