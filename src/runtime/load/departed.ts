import type { Awaitable } from './awaitable.ts';
import { isPromise } from './awaitable.ts';

/**
 * Remembers rows that are gone in memory and may still be read: until their removal is on disk, and
 * until every read that started before has been used.
 */
export class Departed {
  readonly #keys = new Set<string>();
  /** Reads in flight, the oldest first. */
  readonly #reads = new Set<number>();
  #settled: { readonly key: string; readonly before: number }[] = [];
  #lastRead = 0;

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    if (this.#settled.length > 0) this.#settled = this.#settled.filter((row) => row.key !== key);
    this.#keys.add(key);
  }

  /** Records that the store no longer has the row. */
  settle(key: string): void {
    if (this.#reads.size === 0) this.#keys.delete(key);
    else this.#settled.push({ key, before: this.#lastRead });
  }

  /** Uses what a read returns; until then no row is forgotten that it may still return. */
  during<T, R>(answer: Awaitable<T>, use: (answer: T) => R): Awaitable<R> {
    return isPromise(answer) ? answer.then(use).finally(this.hold()) : use(answer);
  }

  /** Forgets no row of now until the returned function is called, because rows are being read. */
  hold(): () => void {
    this.#lastRead += 1;
    const started = this.#lastRead;
    this.#reads.add(started);
    return () => this.#release(started);
  }

  #release(started: number): void {
    this.#reads.delete(started);
    const [oldest = Number.POSITIVE_INFINITY] = this.#reads;
    while (this.#settled[0] !== undefined && this.#settled[0].before < oldest) {
      this.#keys.delete(this.#settled[0].key);
      this.#settled.shift();
    }
  }
}
