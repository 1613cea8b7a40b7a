import type { OwnershipRelations } from '../../domain/company/registries.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { PageReader } from '../../domain/page/page-reader.ts';
import type { SentimentScorer } from '../../domain/sentiment/sentiment-scorer.ts';
import type { FeedReadings } from '../../tools/news/read-feeds.ts';
import type { VettingPorts } from '../vetting/lenses.ts';

/** Dependencies of due diligence lenses, in addition to those of a vetting. */
export interface DiligencePorts extends VettingPorts {
  readonly relations: OwnershipRelations;
  readonly scorer: SentimentScorer;
  readonly pages: PageReader;
  readonly feeds: Pick<FeedReader, 'feeds'>;
  /** Reads all curated feeds until `deadline`, in Unix milliseconds. */
  readNews(deadline: number): Promise<FeedReadings>;
}
