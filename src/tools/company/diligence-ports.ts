import type { DiligencePorts } from '../../actors/company/diligence-ports.ts';
import type { FeedReader } from '../../domain/news/feed-reader.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import { readFeeds } from '../news/read-feeds.ts';

/** The data sources of a due diligence, without the records of this server. */
export interface DiligenceDataDeps
  extends Omit<DiligencePorts, keyof LocalRecords | 'readNews' | 'feeds'> {
  readonly feeds: FeedReader;
}

/** Combines shared data sources and the records of this server for a due diligence. */
export function createDiligencePorts(data: DiligenceDataDeps, own: LocalRecords): DiligencePorts {
  const { feeds } = data;
  const readNews = (deadline: number) => readFeeds(feeds, feeds.feeds, deadline);
  return { ...data, ...own, readNews };
}
