import { type Json, toJson } from '../../domain/common/json.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/common/time.ts';
import { yieldToEventLoop } from '../../domain/common/yield-to-event-loop.ts';
import {
  DocumentsRead,
  type ResearchDocument,
  type SearchFound,
} from '../../domain/research/document.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';
import type { Passage } from '../../domain/research/passage.ts';
import { planParts, planQueries } from '../../domain/research/plan.ts';
import { DEPTHS, ResearchRequest } from '../../domain/research/request.ts';
import { PassagesRanked } from '../../domain/research/results.ts';
import {
  type IndexedPassage,
  indexPassages,
  selectPassages,
} from '../../domain/research/select-passages.ts';
import { splitPassages } from '../../domain/research/text-passages.ts';
import type { ReportKind, ReportStep, StepContext } from '../report/report-kind.ts';
import { composeBrief, STEPS } from './compose-brief.ts';
import { readDocuments, searchStepId } from './read-documents.ts';
import type { ResearchPorts } from './research-ports.ts';
import { writeBrief } from './write-brief.ts';

/** Name of the tool that sells research. */
const RESEARCH_TOOL = 'research_topic-deep-researcher';
/** Time limit of each step, in milliseconds. */
const STEP_MS = { search: 45 * SECOND_MS, read: 2 * MINUTE_MS, rank: MINUTE_MS } as const;
const WRITE_MS = 2.5 * MINUTE_MS;
/**
 * Time reserved at the end of a step, in milliseconds, before which upstream requests are aborted.
 */
const MARGIN_MS = 2 * SECOND_MS;

/**
 * Creates the report kind that researches a topic: search, read, rank, write, and check one brief.
 */
export function createDeepResearchKind(ports: ResearchPorts): ReportKind {
  return {
    kind: 'deep_research',
    tool: RESEARCH_TOOL,
    deadlineMs: 9 * MINUTE_MS,
    steps: (input) => {
      const request = ResearchRequest.parse(input);
      return [
        ...selectSearches(request, ports).map((search) => createSearchStep(search, request)),
        ...createWorkSteps(request, ports),
      ];
    },
    compose: (input, results, { now }) => {
      const request = ResearchRequest.parse(input);
      const searches = selectSearches(request, ports);
      return composeBrief({ request, searches, results, now: now() });
    },
  };
}

/** Returns the sources that a request searches: those it names, or all configured ones. */
export function selectSearches(
  { sources }: Pick<ResearchRequest, 'sources'>,
  { searches }: Pick<ResearchPorts, 'searches'>,
): readonly DocumentSearch[] {
  if (sources === undefined) return searches.filter(({ missing }) => missing.length === 0);
  return searches.filter(({ id }) => sources.includes(id));
}

function createSearchStep(search: DocumentSearch, request: ResearchRequest): ReportStep<never> {
  const order = { queries: planQueries(request), most: DEPTHS[request.depth].perPlace };
  return {
    id: searchStepId(search.id),
    title: `Search ${search.title}`,
    timeoutMs: STEP_MS.search,
    run: async (context) => {
      const answer = await search.search(order, limitsOf(context));
      context.progress(`${answer.found.length} documents`);
      const kept: SearchFound = {
        found: answer.found.map((one) => ({ ...one })),
        faults: [...answer.faults],
      };
      return toJson(kept);
    },
  };
}

function createWorkSteps(
  request: ResearchRequest,
  ports: ResearchPorts,
): readonly ReportStep<never>[] {
  return [
    {
      id: STEPS.read,
      title: 'Read the documents',
      timeoutMs: STEP_MS.read,
      run: async (context) => {
        const { deadline } = limitsOf(context);
        const read = await readDocuments(request, ports, { ...context, deadline });
        return toJson(read);
      },
    },
    {
      id: STEPS.rank,
      title: 'Rank their passages',
      timeoutMs: STEP_MS.rank,
      run: async (context) => {
        const ranked = await rankDocuments(request, parseDocumentsRead(context).documents);
        context.progress(`${ranked.passages.length} passages`);
        return toJson(ranked);
      },
    },
    {
      id: STEPS.write,
      title: 'Write and check the claims',
      timeoutMs: WRITE_MS,
      run: async (context) => {
        const { documents } = parseDocumentsRead(context);
        const ranked = PassagesRanked.parse(stepValue(STEPS.rank, context));
        const order = { request, documents, ranked, signal: context.signal };
        const written = await writeBrief({ ...order, ...limitsOf(context) }, ports);
        context.progress(`${written.claims.length} claims, ${written.dropped.length} dropped`);
        return toJson(written);
      },
    },
  ];
}

function parseDocumentsRead(context: StepContext<never>): DocumentsRead {
  return DocumentsRead.parse(stepValue(STEPS.read, context));
}

function stepValue(step: string, { earlier }: StepContext<never>): Json | undefined {
  const end = earlier[step];
  return end?.state === 'done' ? end.value : undefined;
}

function limitsOf({ deadline, signal }: StepContext<never>) {
  return { deadline: deadline - MARGIN_MS, signal };
}

/** Chooses the passages that address each part of the request. Lets other work run in between. */
async function rankDocuments(
  request: ResearchRequest,
  documents: readonly ResearchDocument[],
): Promise<PassagesRanked> {
  const library: IndexedPassage[] = [];
  let suspicious = 0;
  for (const document of documents) {
    const cut = splitPassages(document);
    library.push(...indexPassages(cut.passages, document));
    suspicious += cut.suspicious;
    await yieldToEventLoop();
  }
  const names = new Map<Passage, string>();
  const parts: PassagesRanked['parts'] = [];
  for (const part of planParts(request)) {
    const chosen = selectPassages(part, library).map(({ passage, score }) => {
      const name = names.get(passage) ?? `p${names.size + 1}`;
      names.set(passage, name);
      return { name, score };
    });
    parts.push({ id: part.id, chosen });
    await yieldToEventLoop();
  }
  return { passages: [...names].map(([one, name]) => ({ ...one, name })), parts, suspicious };
}
