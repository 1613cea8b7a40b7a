import { onTestFinished } from 'vitest';
import { createDueDiligenceKind } from '../../../src/actors/company/diligence-kind.ts';
import { DISPUTE_WORDS } from '../../../src/actors/company/litigation.ts';
import type { LensReport } from '../../../src/domain/vetting/lens.ts';
import type { DiligenceReport } from '../../../src/domain/vetting/verdict.ts';
import { createGleifRelations } from '../../../src/providers/company/gleif.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { createFeedReader } from '../../../src/providers/news/feed-reader.ts';
import { createPageReader } from '../../../src/providers/page/page-reader.ts';
import { vaderScorer } from '../../../src/providers/sentiment/vader-scorer.ts';
import { createDiligencePorts } from '../../../src/tools/company/diligence-ports.ts';
import { dueDiligenceTool } from '../../../src/tools/company/ops_due-diligence-scan.ts';
import { patientClock } from '../patient-clock.ts';
import { realClock } from '../real-clock.ts';
import { type FeedServer, feedServer, type MadeItem } from '../upstreams/feed-server.ts';
import type { ReadingRig } from '../upstreams/reading-rig.ts';
import { sellReport } from './sold-report.ts';
import {
  doubtPath,
  doubts,
  LOOKED_AT,
  type VettingAnswer,
  type VettingWorld,
  vettingPorts,
} from './vetting-rig.ts';

/** What a due diligence of the tests finds, beside its upstreams. */
export interface DiligenceWorld extends VettingWorld {
  /** What each of the curated domains of the tests holds. */
  readonly news?: Readonly<Record<string, readonly MadeItem[]>>;
  /** `host:port` of its web site on loopback. */
  readonly siteHost?: string;
}

/** The envelope of a due diligence. */
export interface DiligenceAnswer extends Omit<VettingAnswer, 'data'> {
  readonly data: DiligenceReport | null;
}

/** Sells due diligence over upstreams and feeds on loopback. */
export async function sellDiligence(rig: ReadingRig, world: DiligenceWorld = {}) {
  const reader = rig.reader(world.fault);
  const { feeds, pages } = await madeNews(world);
  const own = vettingPorts(reader, world);
  const data = {
    ...own,
    relations: createGleifRelations(reader),
    scorer: vaderScorer,
    feeds,
    pages,
  };
  return sellReport(createDueDiligenceKind(createDiligencePorts(data)), (reporting) =>
    dueDiligenceTool({ ...data, ...reporting }),
  );
}

/** Orders a due diligence and reads it to its end. */
export async function examined(rig: ReadingRig, args: object, world: DiligenceWorld = {}) {
  const sold = await sellDiligence(rig, world);
  const state = await sold.made({ wait_s: 60, ...args });
  const report = state.report as unknown as DiligenceAnswer | undefined;
  const lens = (name: string): LensReport | undefined =>
    report?.data?.lenses.find((one) => one.lens === name);
  return { sold, state, report, lens };
}

/** Path of the search for words of a dispute in the filings of one filer. */
export function disputePath(phrase: string, cik: string): string {
  const query = new URLSearchParams({
    q: `"${phrase}"`,
    forms: '10-K,10-Q,8-K',
    ciks: cik,
    dateRange: 'custom',
    startdt: '2021-11-30',
    enddt: '2023-11-30',
  });
  return `/LATEST/search-index?${query.toString()}`;
}

/** Searches of filings that find nothing but these. */
export function filedWords(
  rig: ReadingRig,
  cik: string,
  found: Readonly<Record<string, ReturnType<typeof doubts>>> = {},
): void {
  rig.server.answer('secsearch', doubtPath(cik), doubts());
  for (const phrase of Object.keys(DISPUTE_WORDS)) {
    rig.server.answer('secsearch', disputePath(phrase, cik), found[phrase] ?? doubts());
  }
}

async function madeNews({ fault, siteHost, news = { 'quiet.example': [] } }: DiligenceWorld) {
  const server: FeedServer = await feedServer(() => LOOKED_AT);
  const egress = createEgress({
    clock: realClock,
    userAgent: 'stoa/test',
    allowHosts: [server.host, ...(siteHost === undefined ? [] : [siteHost])],
  });
  onTestFinished(async () => {
    await egress.close();
    await server.close();
  });
  for (const [domain, items] of Object.entries(news)) {
    server.hold(domain, items);
    server.dial(domain, fault);
  }
  const feeds = createFeedReader({
    egress,
    clock: patientClock,
    feeds: Object.keys(news).map((one) => server.feed(one)),
    ...(fault === 'hang' || fault === 'slow_drip' ? { answerMs: 200 } : {}),
  });
  return { feeds, pages: createPageReader({ egress, clock: realClock }) };
}
