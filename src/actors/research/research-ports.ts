import type { Clock } from '../../domain/ports/clock.ts';
import type { DocumentSearch } from '../../domain/ports/document-search.ts';
import type { LlmPort } from '../../domain/ports/llm.ts';
import type { PageReader } from '../../domain/ports/page-reader.ts';

/** What research looks and writes with. */
export interface ResearchPorts {
  readonly searches: readonly DocumentSearch[];
  readonly pages: PageReader;
  /** Writes where one is configured; everything else works without. */
  readonly llm: LlmPort;
  readonly clock: Clock;
}
