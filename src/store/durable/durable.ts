import type {
  AppOptions,
  DurableApp,
  Machines,
  Searches,
} from '../../runtime/durable/durable-types.ts';
import { openApp } from '../../runtime/durable/open-app.ts';
import { EngineError } from '../../runtime/engine/error.ts';
import type { EngineStore } from '../../runtime/engine/ports.ts';
import { memoryStore } from '../../runtime/store/memory-store.ts';
import type { PayloadCodec } from '../engine/payload-codec.ts';

/** Options of `durable`. */
export interface DurableOptions<All extends Machines, Found extends Searches = Searches>
  extends AppOptions<All, Found> {
  /** Folder of the store on disk, created if missing; needs the package `lmdb`. */
  readonly path?: string;
  /** Encodes the payloads in the folder, for example with `aesGcmCodec`. Needs `path`. */
  readonly codec?: PayloadCodec;
  /** A store of your own instead of `path`. The app does not close it. Default: in memory. */
  readonly store?: EngineStore;
}

/**
 * Opens an app of durable actors: one typed member per kind.
 *
 * @throws {EngineError} `DEFINITION_INVALID` if a kind cannot be stored, two have the same name, or
 *   one is named `engine` or `close`; `MIGRATION_MISSING` as `createEngine`; `STORE_BUSY` if this
 *   process has the folder open already; `STORE_NEWER`; `STORE_KEY_INVALID`; `STORE_FULL`;
 *   `STORE_FAILED`.
 * @example
 * const app = await durable({ path: './data', actors: { order } });
 * const o = await app.order.start('1', { item: 'lamp' });
 * await o.send({ type: 'CANCEL' });
 * const out = await o.result();
 */
export async function durable<All extends Machines, Found extends Searches = Searches>({
  path,
  codec,
  store: ownStore,
  ...options
}: DurableOptions<All, Found>): Promise<DurableApp<All, Found>> {
  if (codec !== undefined && path === undefined) {
    throw new EngineError('DEFINITION_INVALID', 'codec needs path: it encodes a store on disk.');
  }
  if (ownStore !== undefined) {
    return await openApp<All, Found>(options, ownStore, async () => undefined);
  }
  const store = path === undefined ? memoryStore() : await openFolder(path, codec);
  try {
    return await openApp<All, Found>(options, store, () => store.close());
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Loads LMDB only where it is used, so that a program without a path does not need it. */
async function openFolder(path: string, codec: PayloadCodec | undefined): Promise<EngineStore> {
  const { openEngineStore } = await import('../engine/engine-store.ts').catch((cause: unknown) => {
    const message = `The path ${path} needs the package lmdb: npm install lmdb`;
    throw new EngineError('STORE_FAILED', message, { data: { path }, cause });
  });
  return openEngineStore(codec === undefined ? { path } : { path, codec });
}
