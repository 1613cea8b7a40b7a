/** Reference-counted cache: one value per key, as long as it is watched. */
export class WatchedCache<T extends { readonly isWatched: boolean }> {
  readonly #values = new Map<string, T>();

  /** Returns the value of a key; creates it if nobody watches it. */
  getOrCreate(key: string, make: () => T): T {
    const known = this.#values.get(key);
    if (known?.isWatched === true) return known;
    this.#removeUnwatched();
    const made = make();
    this.#values.set(key, made);
    return made;
  }

  #removeUnwatched(): void {
    for (const [key, thing] of this.#values) if (!thing.isWatched) this.#values.delete(key);
  }
}
