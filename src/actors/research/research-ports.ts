import type { Clock } from '../../domain/common/clock.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { PageReader } from '../../domain/page/page-reader.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';

/** What research looks and writes with. */
export interface ResearchPorts {
  readonly searches: readonly DocumentSearch[];
  readonly pages: PageReader;
  /** Writes where one is configured; everything else works without. */
  readonly llm: LlmPort;
  readonly clock: Clock;
}
