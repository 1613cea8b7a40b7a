import { onTestFinished } from 'vitest';
import { createDeepResearchKind } from '../../../src/actors/research/research-kind.ts';
import type { ResearchPorts } from '../../../src/actors/research/research-ports.ts';
import type { DataFailure } from '../../../src/domain/data/data-failure.ts';
import type { SourceRecord } from '../../../src/domain/data/source.ts';
import type { LlmPort } from '../../../src/domain/llm/llm.ts';
import type { ResearchReport } from '../../../src/domain/research/report.ts';
import { createEdgarFilings } from '../../../src/providers/filing/edgar.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { createPageReader } from '../../../src/providers/page/page-reader.ts';
import { createDocumentSearches } from '../../../src/providers/research/document-searches.ts';
import { deepResearcherTool } from '../../../src/tools/research/research_topic-deep-researcher.ts';
import { patientClock } from '../patient-clock.ts';
import { realClock } from '../real-clock.ts';
import type { UpstreamFault } from '../upstreams/fault-dial.ts';
import { type FeedServer, feedServer } from '../upstreams/feed-server.ts';
import { hurriedClock } from '../upstreams/hurried-clock.ts';
import { CONTACT, type ReadingRig, readingRig } from '../upstreams/reading-rig.ts';
import { sellReport } from './sold-report.ts';

/** What research answers, as far as tests look at it. */
export interface ResearchAnswer {
  readonly data: ResearchReport | null;
  readonly completeness: string;
  readonly coverage: { readonly asked: number; readonly missing: readonly string[] };
  readonly faults: readonly DataFailure[];
  readonly sources: readonly SourceRecord[];
  readonly statement?: unknown;
}

/** Everything that research reads, on loopback. */
export interface ResearchRig extends ReadingRig {
  readonly feeds: FeedServer;
  ports(world?: ResearchWorld): ResearchPorts;
}

/** What is different from a server with a contact and without a model. */
export interface ResearchWorld {
  readonly fault?: UpstreamFault | undefined;
  readonly contact?: string | undefined;
  readonly llm?: LlmPort;
}

/** Domain of the one curated feed. */
export const FEED = 'news.example';

/** A port without a model. */
export const WITHOUT_MODEL: LlmPort = {
  models: [],
  complete: () => Promise.reject(new Error('no model is configured')),
  maxCost: () => null,
};

/** Starts all upstreams; `hosts` are further ones on loopback, such as a caller's site. */
export async function researchRig(hosts: readonly string[] = []): Promise<ResearchRig> {
  const rig = await readingRig();
  const feeds = await feedServer();
  feeds.hold(FEED, [
    {
      title: 'Proof of stake network pays less',
      url: 'https://news.example/stake',
      summary: 'Rewards of the proof of stake network fell to 3.1 percent on Monday.',
    },
    { title: 'Election results are in', url: 'https://news.example/vote' },
  ]);
  const egress = createEgress({
    clock: realClock,
    userAgent: 'stoa/test',
    allowHosts: [feeds.host, ...hosts],
  });
  onTestFinished(async () => {
    await egress.close();
    await feeds.close();
  });
  return {
    ...rig,
    feeds,
    ports: (world = {}) => {
      const { fault, llm = WITHOUT_MODEL } = world;
      const contact = 'contact' in world ? world.contact : CONTACT;
      const isEndless = fault === 'hang' || fault === 'slow_drip';
      const reader = rig.reader(fault);
      const curated = createFeedReader({
        egress,
        clock: patientClock,
        feeds: [feeds.feed(FEED)],
        ...(isEndless ? { answerMs: 200 } : {}),
      });
      // A thread that takes a filing apart has its seconds by this clock, and twice of them here.
      const filings = createEdgarFilings({ reader, clock: hurriedClock(0.5), contact });
      return {
        searches: createDocumentSearches({ reader, feeds: curated, filings, contact }),
        // A thread that takes a page apart has its seconds by this clock, and twice of them here.
        pages: createPageReader({ egress, clock: hurriedClock(0.5) }),
        llm,
        clock: realClock,
      };
    },
  };
}

/** Sells research over the upstreams of a rig. */
export function sellResearch(rig: ResearchRig, world: ResearchWorld = {}) {
  const ports = rig.ports(world);
  return sellReport(createDeepResearchKind(ports), (reporting) =>
    deepResearcherTool({ ...ports, ...reporting }),
  );
}

/** Orders research and reads it to its end. */
export async function researched(rig: ResearchRig, args: object, world: ResearchWorld = {}) {
  const sold = await sellResearch(rig, world);
  const state = await sold.made({ wait_s: 60, ...args });
  const report = state.report as unknown as ResearchAnswer | undefined;
  return { sold, state, report, data: report?.data ?? undefined };
}
