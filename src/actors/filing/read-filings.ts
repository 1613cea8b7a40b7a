import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import type { UnnumberedSource } from '../../domain/data/source.ts';
import type { FilingList, Filings, ReadLimits } from '../../domain/filing/filings.ts';
import {
  type Filer,
  type FilingFilter,
  type ListedFiling,
  selectFilings,
} from '../../domain/filing/forms.ts';
import {
  hasFacts,
  type SelectedFacts,
  selectPeriodFacts,
} from '../../domain/filing/period-facts.ts';
import { type FilingSection, splitSections } from '../../domain/filing/sections.ts';

/** Maximum number of filings whose documents are read. */
export const DOCUMENTS_READ_MAX = 5;
/** Maximum number of pages of older filings that are read. */
export const OLDER_PAGES_MAX = 4;

/** What to read of a filer. */
export interface FilingOrder {
  /** Ten digits. */
  readonly cik: string;
  readonly choice: FilingFilter;
  readonly hasFacts: boolean;
  /** Whether to read and hash the documents of the newest filings. */
  readonly hasDocuments: boolean;
  /** Whether to split the newest document into sections. */
  readonly hasSections: boolean;
}

/** The document of a filing; `source` has the hash of its exact bytes. */
export interface ReadDocument {
  readonly source: UnnumberedSource;
  readonly sections: readonly FilingSection[] | null;
}

/** One filing with the parts that could be read. */
export interface ReadFiling {
  readonly filing: ListedFiling;
  readonly listedIn: UnnumberedSource;
  readonly facts: { readonly picked: SelectedFacts; readonly source: UnnumberedSource } | null;
  readonly document: ReadDocument | null;
}

/** The parts of a filer that could be read. */
export interface FilingsRead {
  readonly filer: Filer;
  readonly filerSource: UnnumberedSource;
  readonly filings: readonly ReadFiling[];
  /** Requested parts, and the missing ones among them. */
  readonly asked: readonly string[];
  readonly missing: readonly string[];
  readonly faults: readonly DataFailure[];
}

/** Reads filings of one filer. Returns only faults if their list cannot be read. */
export async function readFilings(
  filings: Filings,
  order: FilingOrder,
  limits: ReadLimits,
): Promise<FilingsRead | { readonly faults: readonly DataFailure[] }> {
  const list = await filings.list(order.cik, limits);
  if (!list.ok) return { faults: [list.fault] };
  const { filer } = list.value;
  const listed = await listFilings(filings, order.choice, { list: list.value, limits });
  const all = [
    ...list.value.recent.map((filing) => ({ filing, listedIn: list.source })),
    ...listed.older,
  ];
  const sourceOf = new Map(all.map(({ filing, listedIn }) => [filing.accession, listedIn]));
  const chosen = selectFilings(
    all.map(({ filing }) => filing),
    order.choice,
  );
  const [facts, documents] = await Promise.all([
    readFacts(filings, order, chosen, limits),
    readDocuments(filings, order, chosen, limits),
  ]);
  const read = chosen.map(
    (filing): ReadFiling => ({
      filing,
      listedIn: sourceOf.get(filing.accession) ?? list.source,
      facts: facts.of.get(filing.accession) ?? null,
      document: documents.of.get(filing.accession) ?? null,
    }),
  );
  const parts = [listed, facts, documents];
  return {
    filer,
    filerSource: list.source,
    filings: read,
    asked: ['filings', ...parts.flatMap(({ asked }) => asked)],
    missing: parts.flatMap(({ missing }) => missing),
    faults: parts.flatMap(({ faults }) => faults),
  };
}

interface ReadPart {
  readonly asked: readonly string[];
  readonly missing: readonly string[];
  readonly faults: readonly DataFailure[];
}

interface ListedPart extends ReadPart {
  readonly older: readonly { readonly filing: ListedFiling; readonly listedIn: UnnumberedSource }[];
}

/** Reads pages of older filings until there are enough, or none is recent enough. */
async function listFilings(
  filings: Filings,
  choice: FilingFilter,
  { list, limits }: { readonly list: FilingList; readonly limits: ReadLimits },
): Promise<ListedPart> {
  const older: { filing: ListedFiling; listedIn: UnnumberedSource }[] = [];
  const asked: string[] = [];
  for (const page of list.older.slice(0, OLDER_PAGES_MAX)) {
    const known = [...list.recent, ...older.map(({ filing }) => filing)];
    const isEnough = selectFilings(known, choice).length >= choice.limit;
    if (isEnough || (choice.since !== undefined && page.to < choice.since)) break;
    const name = `older:${page.to}`;
    asked.push(name);
    const reading = await filings.listOlder(page.name, limits);
    if (!reading.ok) return { older, asked, missing: [name], faults: [reading.fault] };
    older.push(...reading.value.map((filing) => ({ filing, listedIn: reading.source })));
  }
  return { older, asked, missing: [], faults: [] };
}

interface FactsPart extends ReadPart {
  readonly of: ReadonlyMap<string, { picked: SelectedFacts; source: UnnumberedSource }>;
}

async function readFacts(
  filings: Filings,
  order: FilingOrder,
  chosen: readonly ListedFiling[],
  limits: ReadLimits,
): Promise<FactsPart> {
  const tagged = order.hasFacts ? chosen.filter(hasFacts) : [];
  const asked = tagged.map(({ accession }) => `facts:${accession}`);
  if (tagged.length === 0) return { of: new Map(), asked, missing: [], faults: [] };
  const accessions = tagged.map(({ accession }) => accession);
  const reading = await filings.readFacts(order.cik, accessions, limits);
  if (!reading.ok) return { of: new Map(), asked, missing: asked, faults: [reading.fault] };
  const { source, value } = reading;
  const found = tagged.map((filing) => [filing, selectPeriodFacts(value, filing)] as const);
  const some = found.filter(([, { facts }]) => facts.length > 0);
  const of = new Map(some.map(([{ accession }, picked]) => [accession, { picked, source }]));
  const missing = accessions.filter((one) => !of.has(one)).map((one) => `facts:${one}`);
  return { of, asked, missing, faults: [] };
}

interface DocumentsPart extends ReadPart {
  readonly of: ReadonlyMap<string, ReadDocument>;
}

async function readDocuments(
  filings: Filings,
  order: FilingOrder,
  chosen: readonly ListedFiling[],
  limits: ReadLimits,
): Promise<DocumentsPart> {
  const wanted = order.hasDocuments ? chosen : order.hasSections ? chosen.slice(0, 1) : [];
  const asked = wanted.map(({ accession }) => `document:${accession}`);
  const of = new Map<string, ReadDocument>();
  const faults: DataFailure[] = [];
  const readable = wanted.filter(({ primaryDocument }) => primaryDocument !== null);
  await Promise.all(
    readable.slice(0, DOCUMENTS_READ_MAX).map(async (filing) => {
      const hasText = order.hasSections && filing === wanted[0];
      const reading = await filings.readDocument({ cik: order.cik, filing, hasText }, limits);
      if (!reading.ok) {
        faults.push(reading.fault);
        return;
      }
      const { text } = reading.value;
      const sections = text === null ? null : splitSections(text);
      of.set(filing.accession, { source: reading.source, sections });
    }),
  );
  if (readable.length > DOCUMENTS_READ_MAX) {
    const detail = `One call reads the documents of at most ${DOCUMENTS_READ_MAX} filings.`;
    faults.push(createDataFailure('too_large', { upstream: 'secfiles', detail }));
  }
  const missing = asked.filter((name) => !of.has(name.slice('document:'.length)));
  return { of, asked, missing, faults };
}
