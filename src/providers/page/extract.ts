import { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import type { FaultCode } from '../../domain/data/fault.ts';
import { KeptThreads } from '../data/kept-threads.ts';
import { guardPage } from './guard.ts';
import { LINKS_MAX, TEXT_CHARS_MAX, WORKER_SOURCE } from './worker-source.ts';

/** Milliseconds for one page, the start of its thread included. */
export const EXTRACT_MS = 5 * SECOND_MS;
/** Memory of a worker, in MB. */
export const EXTRACT_MEMORY_MB = 256;
/** Pages that are taken apart at once; more are refused. */
export const EXTRACT_AT_ONCE_MAX = 4;

/** What a worker gives back. */
const Extracted = z.object({
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
/** See {@link Extracted}. */
export type Extracted = z.infer<typeof Extracted>;

/** What became of a page. */
export type Extraction =
  | { readonly value: Extracted }
  | { readonly fault: FaultCode; readonly why: string };

/** Takes pages apart in threads that are killed when a page takes too long. */
export class PageExtractor {
  readonly #threads: KeptThreads;

  constructor(clock: Clock) {
    const packages = {
      linkedom: import.meta.resolve('linkedom'),
      readability: import.meta.resolve('@mozilla/readability'),
    };
    this.#threads = new KeptThreads(clock, {
      program: WORKER_SOURCE,
      data: { packages, linksMax: LINKS_MAX, charsMax: TEXT_CHARS_MAX },
      ...{ memoryMb: EXTRACT_MEMORY_MB, timeMs: EXTRACT_MS },
      ...{ threads: EXTRACT_AT_ONCE_MAX, waitingMax: 0 },
    });
  }

  /** Never throws for what a page does. */
  async extract(html: string, url: string): Promise<Extraction> {
    const fault = await guardPage(html);
    if (fault !== undefined) return { fault, why: 'The page has more elements than are read.' };
    if (this.#threads.isFull) {
      return { fault: 'upstream_unavailable', why: 'Too many pages are being read; try again.' };
    }
    const said = await this.#threads.ask({ html, url });
    const { data } = Extracted.safeParse(said);
    if (data !== undefined) return { value: data };
    const why =
      said === undefined ? 'The page takes too long to be read.' : 'The page cannot be read.';
    return { fault: 'upstream_bad_payload', why };
  }
}
