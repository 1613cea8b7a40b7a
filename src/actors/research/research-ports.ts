import type { Clock } from '../../domain/common/clock.ts';
import type { LlmPort } from '../../domain/llm/llm.ts';
import type { PageReader } from '../../domain/page/page-reader.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';

/** Dependencies of research. */
export interface ResearchPorts {
  readonly searches: readonly DocumentSearch[];
  readonly pages: PageReader;
  /** Writes claims if a model is configured; everything else works without one. */
  readonly llm: LlmPort;
  readonly clock: Clock;
}
