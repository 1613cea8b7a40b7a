import type { SourceFacts } from '../../domain/data/source.ts';

/** Answers that are kept at the most. */
export const ANSWERS_KEPT_MAX = 500;
/** Bytes of answers that are kept at the most. */
export const ANSWER_BYTES_KEPT_MAX = 32_000_000;
/** Bytes of one answer that is kept; larger ones would push out all others. */
export const ANSWER_BYTES_KEPT_EACH_MAX = 12_000_000;

/** An answer that was read, to be given again or asked for anew by its marks. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly source: SourceFacts;
  /** Milliseconds until which it is given without asking. */
  readonly until: number;
}

/** Answers by address; the longest unused go first. */
export class AnswerCache {
  readonly #kept = new Map<string, KeptAnswer>();
  #bytes = 0;

  /** Looks an answer up, however old it is. */
  find(url: string): KeptAnswer | undefined {
    const found = this.#kept.get(url);
    if (found === undefined) return undefined;
    this.#kept.delete(url);
    this.#kept.set(url, found);
    return found;
  }

  /** Keeps an answer in place of the one before. */
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

  /** Forgets an answer. */
  drop(url: string): void {
    this.#bytes -= this.#kept.get(url)?.body.byteLength ?? 0;
    this.#kept.delete(url);
  }

  /** The headers that ask whether a kept answer still holds; none where it has no mark. */
  static marksOf(kept: KeptAnswer | undefined): Readonly<Record<string, string>> {
    const etag = kept?.headers['etag'];
    const modified = kept?.headers['last-modified'];
    return {
      ...(etag === undefined ? {} : { 'if-none-match': etag }),
      ...(modified === undefined ? {} : { 'if-modified-since': modified }),
    };
  }
}
