import type { UnnumberedSource } from '../../domain/data/source.ts';

/** Most answers in the cache. */
export const CACHED_ANSWERS_MAX = 500;
/** Most bytes of answers in the cache. */
export const CACHED_BYTES_MAX = 32_000_000;
/** Most bytes of one cached answer. A larger one would evict all others. */
export const CACHED_ANSWER_BYTES_MAX = 12_000_000;

/** A cached answer, to be returned again or revalidated. */
export interface CachedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly source: UnnumberedSource;
  /** Time until which it is fresh, in milliseconds. */
  readonly until: number;
}

/** A cache of answers by URL. The least recently used are evicted first. */
export class AnswerCache {
  readonly #answers = new Map<string, CachedAnswer>();
  #bytes = 0;

  /** Returns the cached answer of a URL, however old it is. */
  find(url: string): CachedAnswer | undefined {
    const found = this.#answers.get(url);
    if (found === undefined) return undefined;
    this.#answers.delete(url);
    this.#answers.set(url, found);
    return found;
  }

  /** Stores an answer in place of the previous one. */
  store(url: string, answer: CachedAnswer): void {
    this.remove(url);
    if (answer.body.byteLength > CACHED_ANSWER_BYTES_MAX) return;
    this.#answers.set(url, answer);
    this.#bytes += answer.body.byteLength;
    for (const oldest of this.#answers.keys()) {
      const isWithin = this.#answers.size <= CACHED_ANSWERS_MAX && this.#bytes <= CACHED_BYTES_MAX;
      if (isWithin) break;
      this.remove(oldest);
    }
  }

  remove(url: string): void {
    this.#bytes -= this.#answers.get(url)?.body.byteLength ?? 0;
    this.#answers.delete(url);
  }

  /** Returns the headers that revalidate a cached answer. They are empty if it has no validator. */
  static revalidationHeaders(kept: CachedAnswer | undefined): Readonly<Record<string, string>> {
    const etag = kept?.headers['etag'];
    const modified = kept?.headers['last-modified'];
    return {
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(modified === undefined ? {} : { 'if-modified-since': modified }),
    };
  }
}
