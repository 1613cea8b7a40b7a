import type { SourceFacts } from '../../domain/data/source.ts';

/** Most answers in the cache. */
export const ANSWERS_KEPT_MAX = 500;
/** Most bytes of answers in the cache. */
export const ANSWER_BYTES_KEPT_MAX = 32_000_000;
/** Most bytes of one cached answer. A larger one would evict all others. */
export const ANSWER_BYTES_KEPT_EACH_MAX = 12_000_000;

/** A cached answer, to be returned again or revalidated. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly source: SourceFacts;
  /** Time until which it is fresh, in milliseconds. */
  readonly until: number;
}

/** A cache of answers by URL. The least recently used are evicted first. */
export class AnswerCache {
  readonly #kept = new Map<string, KeptAnswer>();
  #bytes = 0;

  /** Returns the cached answer of a URL, however old it is. */
  find(url: string): KeptAnswer | undefined {
    const found = this.#kept.get(url);
    if (found === undefined) return undefined;
    this.#kept.delete(url);
    this.#kept.set(url, found);
    return found;
  }

  /** Stores an answer in place of the previous one. */
  keep(url: string, answer: KeptAnswer): void {
    this.drop(url);
    if (answer.body.byteLength > ANSWER_BYTES_KEPT_EACH_MAX) return;
    this.#kept.set(url, answer);
    this.#bytes += answer.body.byteLength;
    for (const oldest of this.#kept.keys()) {
      const isWithin = this.#kept.size <= ANSWERS_KEPT_MAX && this.#bytes <= ANSWER_BYTES_KEPT_MAX;
      if (isWithin) break;
      this.drop(oldest);
    }
  }

  /** Removes an answer. */
  drop(url: string): void {
    this.#bytes -= this.#kept.get(url)?.body.byteLength ?? 0;
    this.#kept.delete(url);
  }

  /** Returns the headers that revalidate a cached answer. They are empty if it has no validator. */
  static marksOf(kept: KeptAnswer | undefined): Readonly<Record<string, string>> {
    const etag = kept?.headers['etag'];
    const modified = kept?.headers['last-modified'];
    return {
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(modified === undefined ? {} : { 'if-modified-since': modified }),
    };
  }
}
