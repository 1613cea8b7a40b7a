/** Things that are there while somebody uses them, one for each key. */
export class Shared<T extends { readonly isWatched: boolean }> {
  readonly #things = new Map<string, T>();

  /** The thing of a key; one that nobody watches any more is made anew. */
  of(key: string, make: () => T): T {
    const known = this.#things.get(key);
    if (known?.isWatched === true) return known;
    this.#drop();
    const made = make();
    this.#things.set(key, made);
    return made;
  }

  #drop(): void {
    for (const [key, thing] of this.#things) if (!thing.isWatched) this.#things.delete(key);
  }
}
