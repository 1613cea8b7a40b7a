import type { SyncEngineStore } from '../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import type { PayloadCodec } from '../../src/store/engine/payload-codec.ts';
import type { DelayedStore } from './delayed-store.ts';
import { tempDir } from './temp-dir.ts';

/** Where an engine's rows outlive its process. */
export interface Shelf {
  /** Opens the store for the next process; the one before is gone by then. */
  open(): Promise<SyncEngineStore>;
  /** Present if engines read the open store with delays. */
  late?(): DelayedStore | undefined;
  remove(): Promise<void>;
}

/** A shelf in memory. */
export function memoryShelf(): Shelf {
  const store = memoryStore();
  return {
    open: async () => store,
    remove: () => store.close(),
  };
}

/** A shelf on disk. */
export function lmdbShelf(codec?: PayloadCodec): Shelf {
  const { path, remove } = tempDir();
  let open: SyncEngineStore | undefined;
  return {
    open: async () => {
      await open?.close();
      open = openEngineStore(codec === undefined ? { path } : { path, codec });
      return open;
    },
    remove: async () => {
      await open?.close();
      remove();
    },
  };
}
