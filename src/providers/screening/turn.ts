/** Lets work run one after the other, in the order in which it came. */
export class Turn {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when all before it has ended, however that ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
