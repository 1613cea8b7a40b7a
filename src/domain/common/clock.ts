/** Time, injected. Milliseconds since 1970-01-01T00:00:00Z. */
export interface Clock {
  now(): number;
  /** Calls `run` once, at or after `at`; any distance is allowed. Returns the canceller. */
  at(at: number, run: () => void): () => void;
}
