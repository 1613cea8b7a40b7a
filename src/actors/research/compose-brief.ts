import { sha256Hex } from '../../domain/common/hash.ts';
import { toJson } from '../../domain/common/json.ts';
import { toReadableLine } from '../../domain/common/readable.ts';
import type { DataFailure } from '../../domain/data/data-failure.ts';
import { createDataFailure } from '../../domain/data/data-failure.ts';
import { SourceList } from '../../domain/data/source.ts';
import { wrapUntrusted } from '../../domain/page/clean-text.ts';
import type { ResearchDocument } from '../../domain/research/document.ts';
import { DocumentsRead, SearchFound } from '../../domain/research/document.ts';
import type { DocumentSearch } from '../../domain/research/document-search.ts';
import { SUMMARY_PART } from '../../domain/research/extract.ts';
import type { ResearchPart } from '../../domain/research/plan.ts';
import { planParts } from '../../domain/research/plan.ts';
import type { BriefClaim, Citation, ResearchReport } from '../../domain/research/report.ts';
import type { ResearchRequest } from '../../domain/research/request.ts';
import { ClaimsWritten, PassagesRanked } from '../../domain/research/results.ts';
import type { ReportKind, StepResults } from '../report/report-kind.ts';
import { searchStepId, WEB_SOURCE } from './read-documents.ts';

/** Ids of the steps after the searches. */
export const STEPS = { read: 'read', rank: 'rank', write: 'write' } as const;

/** Inputs of an answer. */
export interface Research {
  readonly request: ResearchRequest;
  /** The searched sources. */
  readonly searches: readonly DocumentSearch[];
  readonly results: StepResults;
  /** Unix time in milliseconds. */
  readonly now: number;
}

type Answer = Awaited<ReturnType<ReportKind['compose']>>;

/** Composes the brief; `data` is `null` if no question is answered. */
export function composeBrief(research: Research): Answer {
  const { request, searches, results } = research;
  const kept = readStoredResults(results);
  const parts = planParts(request);
  const silent = unansweredParts(parts, kept.written.claims);
  const questions = parts.filter(({ cue }) => cue === null);
  const isNone = questions.every(({ id }) => silent.has(id));
  const failing = searches.filter(({ id }) => hasFailed(id, results)).map(({ id }) => id);
  const missing = [
    ...parts.filter(({ id }) => silent.has(id)).map(({ title }) => title),
    ...failing.map((id) => `source: ${id}`),
    ...kept.read.unread.map((url) => `address: ${url}`),
  ];
  const asked = parts.length + searches.length + request.urls.length;
  const sources = new SourceList();
  const report = isNone ? null : createReport(research, kept, { sources, parts });
  const faults = [...collectFaults(searches, results), ...kept.read.faults, ...kept.written.faults];
  const nothing = isNone ? [noAnswerFault(kept.read.documents.length)] : [];
  return {
    headline:
      report === null
        ? `No document answers ${JSON.stringify(request.topic)}.`
        : `${kept.written.claims.length} claims with ${report.citations.length} citations from ` +
          `${report.documents.filter(({ cited }) => cited).length} documents; ` +
          `${questions.filter(({ id }) => !silent.has(id)).length} of ${questions.length} ` +
          'questions answered.',
    blocks:
      report === null ? [] : [wrapUntrusted(formatBrief(report).join('\n'), createNonce(research))],
    data: toJson(report),
    sources: sources.records(),
    coverage: { asked, answered: asked - missing.length, missing },
    faults: [...faults, ...nothing],
    method: { ...METHOD, writer: report?.writer.model ?? 'extractive' },
    disclaimer:
      'Quotes were checked against the documents; whether the documents are right was not.',
  };
}

const METHOD = {
  search: 'each source by its own search: first the topic, then additions from each question',
  passages: 'whole sentences of up to 300 characters, ranked by BM25 over this run',
  gate:
    'each citation is at its position in a document of this run; numbers, quotations, names, and ' +
    'most words of a claim occur in its citations; negations are preserved',
};

interface StoredResults {
  readonly read: DocumentsRead;
  readonly ranked: PassagesRanked;
  readonly written: ClaimsWritten;
}

const EMPTY_RESULTS: StoredResults = {
  read: {
    documents: [],
    faults: [],
    unread: [],
    removed: { invisibleCharacters: 0, hiddenElements: 0 },
  },
  ranked: { passages: [], parts: [], suspicious: 0 },
  written: {
    claims: [],
    dropped: [],
    faults: [],
    counts: { claimsChecked: 0, citationsChecked: 0, citationsDropped: 0, numbersChecked: 0 },
    writer: { kind: 'extractive', model: null, note: null },
  },
};

function readStoredResults(results: StepResults): StoredResults {
  const keptBy = (step: string): unknown => {
    const end = results[step];
    return end?.state === 'done' ? end.value : undefined;
  };
  return {
    read: DocumentsRead.safeParse(keptBy(STEPS.read)).data ?? EMPTY_RESULTS.read,
    ranked: PassagesRanked.safeParse(keptBy(STEPS.rank)).data ?? EMPTY_RESULTS.ranked,
    written: ClaimsWritten.safeParse(keptBy(STEPS.write)).data ?? EMPTY_RESULTS.written,
  };
}

function unansweredParts(
  parts: readonly ResearchPart[],
  claims: ClaimsWritten['claims'],
): ReadonlySet<string> {
  const spoken = new Set(claims.map(({ part }) => part));
  return new Set(parts.map(({ id }) => id).filter((id) => !spoken.has(id)));
}

function readSearchResult(search: string, results: StepResults): SearchFound {
  const end = results[searchStepId(search)];
  if (end?.state === 'done') return SearchFound.parse(end.value);
  const late = createDataFailure('deadline_exceeded', {
    upstream: search,
    detail: 'Not enough time.',
  });
  return {
    found: [],
    faults: [end?.state === 'failed' ? { ...end.fault, upstream: search } : late],
  };
}

function hasFailed(search: string, results: StepResults): boolean {
  return readSearchResult(search, results).faults.length > 0;
}

function collectFaults(
  searches: readonly DocumentSearch[],
  results: StepResults,
): readonly DataFailure[] {
  const searched = searches.flatMap(({ id }) => readSearchResult(id, results).faults);
  const steps = Object.values(STEPS).flatMap((step) => {
    const end = results[step];
    return end?.state === 'failed' ? [end.fault] : [];
  });
  return [...searched, ...steps];
}

function noAnswerFault(documents: number): DataFailure {
  const detail =
    documents === 0
      ? 'No document was found or read.'
      : `No passage in ${documents} documents addresses the questions.`;
  return createDataFailure('not_found', { upstream: 'research', detail });
}

interface ReportInputs {
  readonly sources: SourceList;
  readonly parts: readonly ResearchPart[];
}

function createReport(
  { request, searches, results }: Research,
  { read, ranked, written }: StoredResults,
  { sources, parts }: ReportInputs,
): ResearchReport {
  const documents = new Map(read.documents.map((document) => [document.id, document]));
  const cited = createCitations(written, { ranked, documents, sources });
  const numberOf = new Map(cited.map(({ name, citation }) => [name, citation.n]));
  const claims = (part: string): BriefClaim[] =>
    written.claims
      .filter((claim) => claim.part === part)
      .map(({ text, cites, support, numbersChecked }) => ({
        text,
        cites: cites.flatMap((name) => numberOf.get(name) ?? []),
        support,
        numbers_checked: numbersChecked,
      }));
  const citations = cited.map(({ citation }) => citation);
  const named = new Set(citations.map(({ document }) => document));
  const questions = parts.filter(({ cue }) => cue === null);
  return {
    topic: request.topic,
    untrusted: true,
    executive_summary: claims(SUMMARY_PART),
    answers: questions.map(({ id, title: question }) => {
      const found = claims(id);
      return { question, answered: found.length > 0, claims: found };
    }),
    mechanisms: claims('mechanisms'),
    alternatives: claims('alternatives'),
    risks: claims('risks'),
    limitations: listLimitations(read.documents),
    citations,
    documents: read.documents.map((one) => documentView(one, named.has(one.id), sources)),
    searched: searches.map(({ id: source, kind }) => ({
      source,
      kind,
      found: readSearchResult(source, results).found.length,
      read: read.documents.filter((one) => one.source === source).length,
      answered: !hasFailed(source, results),
    })),
    writer: written.writer,
    checks: checksView(written),
    dropped_claims: written.dropped,
    removed: {
      invisible_characters: read.removed.invisibleCharacters,
      hidden_elements: read.removed.hiddenElements,
      passages_to_programs: ranked.suspicious,
    },
  };
}

function checksView({ counts, dropped }: ClaimsWritten): ResearchReport['checks'] {
  return {
    claims_checked: counts.claimsChecked,
    claims_dropped: dropped.length,
    citations_checked: counts.citationsChecked,
    citations_dropped: counts.citationsDropped,
    numbers_checked: counts.numbersChecked,
  };
}

interface CitationInputs {
  readonly ranked: PassagesRanked;
  readonly documents: ReadonlyMap<string, ResearchDocument>;
  readonly sources: SourceList;
}

/** Returns the cited passages, numbered in the order in which the brief cites them. */
function createCitations(
  { claims }: ClaimsWritten,
  { ranked, documents, sources }: CitationInputs,
): readonly { readonly name: string; readonly citation: Citation }[] {
  const names = [...new Set(claims.flatMap(({ cites }) => cites))];
  return names
    .flatMap((name) => {
      const passage = ranked.passages.find((one) => one.name === name);
      const document = documents.get(passage?.document ?? '');
      if (passage === undefined || document === undefined) return [];
      const { url, title, facts, id } = document;
      return [{ name, passage, document: id, url, title, facts }];
    })
    .map(({ name, passage, document, url, title, facts }, at) => ({
      name,
      citation: {
        n: at + 1,
        document,
        url,
        title,
        retrieved_at: facts.retrieved_at,
        quote: passage.text,
        from: passage.from,
        to: passage.to,
        quote_sha256: sha256Hex(passage.text),
        sources: [sources.assignId(facts)],
      },
    }));
}

function documentView(
  { id, source, kind, url, title, publishedAt, text, textSha256, isCut, facts }: ResearchDocument,
  cited: boolean,
  sources: SourceList,
): ResearchReport['documents'][number] {
  return {
    id,
    source,
    kind,
    url,
    title,
    published_at: publishedAt,
    text_sha256: textSha256,
    chars: text.length,
    truncated: isCut,
    cited,
    sources: [sources.assignId(facts)],
  };
}

const LIMITS: readonly (readonly [(document: ResearchDocument) => boolean, string])[] = [
  [({ kind }) => kind === 'scholarly', 'Only abstracts of scholarly works were read.'],
  [({ kind }) => kind === 'news', 'Only feed headlines and summaries of news were read.'],
  [({ kind }) => kind === 'encyclopedia', 'Publicly editable articles were read.'],
  [({ kind }) => kind === 'filing', 'Only the lines of filings that mention the topic were read.'],
  [({ kind }) => kind === 'discussion', 'Discussion comments are opinions of their authors.'],
  [({ source }) => source === WEB_SOURCE, 'The caller chose the pages.'],
  [({ isCut }) => isCut, 'Only the first 40,000 characters of long documents were read.'],
];

function listLimitations(documents: readonly ResearchDocument[]): string[] {
  return [
    'No general web search was used.',
    ...LIMITS.filter(([isSo]) => documents.some(isSo)).map(([, words]) => words),
  ];
}

/** Returns a nonce that no document can predict, from all documents and the current time. */
function createNonce({ results, now }: Research): string {
  const { read } = readStoredResults(results);
  const hashes = read.documents.map(({ textSha256 }) => textSha256).join(' ');
  return sha256Hex(`stoa brief v1:${now} ${hashes}`).slice(0, 24);
}

/** Formats a brief as text lines: sections of claims with `[n]`, then the citations. */
function formatBrief(report: ResearchReport): readonly string[] {
  const { executive_summary, answers, mechanisms, alternatives, risks, citations } = report;
  return [
    ...formatSection('Executive summary', executive_summary),
    ...answers.flatMap(({ question, claims }) => formatSection(question, claims)),
    ...formatSection('Mechanisms', mechanisms),
    ...formatSection('Alternatives', alternatives),
    ...formatSection('Risks', risks),
    'Citations',
    ...citations.map(
      ({ n, title, url, retrieved_at }) =>
        `[${n}] ${toReadableLine(title)} <${url}>, read ${retrieved_at}`,
    ),
  ];
}

function formatSection(heading: string, claims: readonly BriefClaim[]): readonly string[] {
  if (claims.length === 0) return [heading, '- None of the documents address this.'];
  return [
    heading,
    ...claims.map(({ text, cites }) => `- ${toReadableLine(text)} ${formatCitations(cites)}`),
  ];
}

function formatCitations(cites: readonly number[]): string {
  return cites.map((n) => `[${n}]`).join('');
}
