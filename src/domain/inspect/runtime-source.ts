import type { RuntimeFrame } from './wire.ts';

/** Numbers of the running process, one sample a second while somebody watches. */
export interface RuntimeSource {
  /** Everything that is kept, as a first frame. */
  history(): RuntimeFrame;
  /** Calls `listener` with each new sample until the returned function is called. */
  watch(listener: (frame: RuntimeFrame) => void): () => void;
}
