import type { RuntimeFrame } from './wire.ts';

/** Metrics of the running process, sampled once per second while watched. */
export interface RuntimeSource {
  /** Returns all stored samples as the first frame. */
  history(): RuntimeFrame;
  /** Calls `listener` with each new sample until the returned function is called. */
  watch(listener: (frame: RuntimeFrame) => void): () => void;
}
