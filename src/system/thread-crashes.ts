import type { Worker } from 'node:worker_threads';

let listener: ((text: string) => void) | undefined;

/** Sets the listener for crashed threads, which replaces the previous one. */
export function onThreadCrash(handler: ((text: string) => void) | undefined): void {
  listener = handler;
}

/** Reports crashes of a thread; its own listeners are called as well. */
export function watchThread(name: string, worker: Worker): Worker {
  return worker.on('error', (error: Error & { readonly code?: string }) => {
    listener?.(`a thread crashed (${name}): ${error.code ?? error.name}: ${error.message}`);
  });
}
