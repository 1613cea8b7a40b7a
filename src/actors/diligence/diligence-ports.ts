import type { FeedReader } from '../../domain/ports/feed-reader.ts';
import type { PageReader } from '../../domain/ports/page-reader.ts';
import type { Relations } from '../../domain/ports/registries.ts';
import type { SentimentScorer } from '../../domain/ports/sentiment-scorer.ts';
import type { FeedsRead } from '../../tools/parts/read-feeds.ts';
import type { VettingPorts } from '../vetting/lenses.ts';

/** What lenses of a due diligence look through, beside those of a vetting. */
export interface DiligencePorts extends VettingPorts {
  readonly relations: Relations;
  readonly scorer: SentimentScorer;
  readonly pages: PageReader;
  readonly feeds: Pick<FeedReader, 'feeds'>;
  /** Reads all curated feeds; `deadline` is in milliseconds. */
  readNews(deadline: number): Promise<FeedsRead>;
}
