import { AppError } from '../../domain/common/error.ts';

/** Waits for a promise, or rejects as soon as the signal aborts. The work itself keeps running. */
export function race<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AppError('EGRESS_FAILED', { data: { kind: 'aborted' } }));
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settle = <V>(give: (value: V) => void) => {
      return (value: V) => {
        signal.removeEventListener('abort', abort);
        give(value);
      };
    };
    work.then(settle(resolve), settle(reject));
  });
}
