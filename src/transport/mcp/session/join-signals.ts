/** A signal that aborts with the first of several, and the function that detaches it. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

/** Joins signals. Some may outlive the listener, so release the result when done. */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const joined = new AbortController();
  const abort = (): void => joined.abort();
  for (const signal of signals) {
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: joined.signal,
    release: () => {
      for (const signal of signals) signal?.removeEventListener('abort', abort);
    },
  };
}
