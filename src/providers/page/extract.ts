import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { FailureCode } from '../../domain/data/data-failure.ts';
import { ThreadPool } from '../data/thread-pool.ts';
import { checkPageSize } from './guard.ts';

/** Time limit for one page in milliseconds, including the start of its thread. */
export const EXTRACT_MS = 5 * SECOND_MS;
/** Memory limit of a worker, in MB. */
export const EXTRACT_MEMORY_MB = 256;
/** Most pages parsed at once. Further ones are rejected. */
export const EXTRACT_THREADS_MAX = 4;

/** Most links that are returned per page. */
export const LINKS_MAX = 100;
/** Most characters of text that a worker returns. */
export const TEXT_CHARS_MAX = 200_000;

/** Validates the result of a worker. */
const ExtractedPage = z.object({
  engine: z.enum(['readability', 'body']),
  title: z.string().nullable(),
  byline: z.string().nullable(),
  publishedAt: z.string().nullable(),
  lang: z.string().nullable(),
  text: z.string().max(TEXT_CHARS_MAX),
  links: z.array(z.object({ url: z.string(), text: z.string() })).max(LINKS_MAX),
  hiddenElements: z.int(),
  comments: z.int(),
});
/** The text and metadata of a page. */
export type Extracted = z.infer<typeof ExtractedPage>;

/** The result of an extraction. */
export type Extraction =
  | { readonly value: Extracted }
  | { readonly fault: FailureCode; readonly why: string };

/** An extractor that runs in threads, which are killed when a page takes too long. */
export class PageExtractor {
  readonly #threads: ThreadPool;

  constructor(clock: Clock) {
    this.#threads = new ThreadPool(clock, {
      program: { module: 'providers/page/extract-worker.mjs', name: 'extractPage' },
      memoryMb: EXTRACT_MEMORY_MB,
      timeMs: EXTRACT_MS,
      threads: EXTRACT_THREADS_MAX,
      queueMax: 0,
    });
  }

  /** Extracts a page. Never throws for a bad page. */
  async extract(html: string, url: string): Promise<Extraction> {
    const fault = await checkPageSize(html);
    if (fault !== undefined) return { fault, why: 'The page exceeds the limit of elements.' };
    if (this.#threads.isFull) {
      return { fault: 'upstream_unavailable', why: 'Too many pages at once. Retry later.' };
    }
    const page = { html, url, linksMax: LINKS_MAX, charsMax: TEXT_CHARS_MAX };
    const result = await this.#threads.run(page);
    const extracted = result.ok ? ExtractedPage.safeParse(result.answer).data : undefined;
    if (extracted !== undefined) return { value: extracted };
    const why = result.ok ? 'The page cannot be parsed.' : 'Parsing the page took too long.';
    return { fault: 'upstream_bad_payload', why };
  }
}
