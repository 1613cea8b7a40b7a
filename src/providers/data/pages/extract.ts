import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { FaultCode } from '../../../domain/data/fault.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { guardPage } from './guard.ts';
import { LINKS_MAX, TEXT_CHARS_MAX, WORKER_SOURCE } from './worker-source.ts';

/** Milliseconds for one page, the start of its worker included. */
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

/** Takes pages apart, each in a thread of its own that is killed when its time is up. */
export class PageExtractor {
  readonly #clock: Clock;
  #running = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never throws for what a page does. */
  async extract(html: string, url: string): Promise<Extraction> {
    const fault = guardPage(html);
    if (fault !== undefined) return { fault, why: 'The page has more elements than are read.' };
    if (this.#running >= EXTRACT_AT_ONCE_MAX) {
      return { fault: 'upstream_unavailable', why: 'Too many pages are being read; try again.' };
    }
    this.#running += 1;
    try {
      return await this.#inWorker(html, url);
    } finally {
      this.#running -= 1;
    }
  }

  async #inWorker(html: string, url: string): Promise<Extraction> {
    const packages = {
      linkedom: import.meta.resolve('linkedom'),
      readability: import.meta.resolve('@mozilla/readability'),
    };
    const worker = new Worker(WORKER_SOURCE, {
      eval: true,
      workerData: { html, url, packages, linksMax: LINKS_MAX, charsMax: TEXT_CHARS_MAX },
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: EXTRACT_MEMORY_MB, stackSizeMb: 4 },
    });
    try {
      return await this.#answerOf(worker);
    } finally {
      await worker.terminate();
    }
  }

  #answerOf(worker: Worker): Promise<Extraction> {
    return new Promise((resolve) => {
      const failed = (why: string) => resolve({ fault: 'upstream_bad_payload', why });
      const off = this.#clock.at(this.#clock.now() + EXTRACT_MS, () =>
        failed('The page takes too long to be read.'),
      );
      worker.once('message', (said: unknown) => {
        off();
        const { data } = Extracted.safeParse(said);
        if (data === undefined) failed('The page cannot be read.');
        else resolve({ value: data });
      });
      worker.once('error', () => {
        off();
        failed('The page cannot be read.');
      });
      worker.once('exit', () => {
        off();
        failed('The page cannot be read.');
      });
    });
  }
}
