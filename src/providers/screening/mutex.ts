/** A mutex that runs work one by one, in the order of its calls. */
export class Mutex {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs work after all earlier work has ended, whatever its outcome. */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
