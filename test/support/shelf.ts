import type { EngineStore } from '../../src/runtime/engine/ports.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { tempDir } from './temp-dir.ts';

/** Where an engine's rows outlive its process. */
export interface Shelf {
  /** Opens the store for the next process; the one before is gone by then. */
  open(): Promise<EngineStore>;
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
export function lmdbShelf(): Shelf {
  const { path, remove } = tempDir();
  let open: EngineStore | undefined;
  return {
    open: async () => {
      await open?.close();
      open = openEngineStore({ path });
      return open;
    },
    remove: async () => {
      await open?.close();
      remove();
    },
  };
}
