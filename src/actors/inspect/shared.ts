/** Reference-counted cache: one value per key, as long as it is watched. */
export class Shared<T extends { readonly isWatched: boolean }> {
  readonly #things = new Map<string, T>();

  /** Returns the value of a key; creates it if nobody watches it. */
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
