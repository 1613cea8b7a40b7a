import type { FilingsRead, ReadFiling } from '../../actors/filing/read-filings.ts';
import { sha256Hex } from '../../domain/common/hash.ts';
import { DAY_MS, toIsoTime } from '../../domain/common/time.ts';
import type { SourceList } from '../../domain/data/source.ts';
import { createDataValue } from '../../domain/data/value.ts';
import { filingFolder, isAmendment } from '../../domain/filing/forms.ts';
import {
  factMaxAgeMs,
  type MissingFact,
  type PeriodFact,
} from '../../domain/filing/period-facts.ts';
import type {
  FilingsReport,
  ReportedFact,
  ReportedFiling,
  ReportedSection,
} from '../../domain/filing/report.ts';
import { type FilingSection, matchesItem } from '../../domain/filing/sections.ts';
import { cleanText, wrapUntrusted } from '../../domain/page/clean-text.ts';

/** Maximum characters of one section. */
export const SECTION_CHARS_MAX = 12_000;

/** Context for formatting an answer. */
export interface FormatContext {
  readonly sources: SourceList;
  readonly now: number;
  /** Nonce of the delimiter lines; no filing can know it. */
  readonly nonce: string;
  /** Items whose text to return; empty for all. */
  readonly items: readonly string[];
}

/** Formats the filer and its filings, each with its source. */
export function formatFilings(
  { filer, filerSource, filings }: FilingsRead,
  wording: FormatContext,
): Omit<FilingsReport, 'mentions'> {
  return {
    filer: {
      cik: filer.cik,
      name: filer.name,
      tickers: [...filer.tickers],
      exchanges: [...filer.exchanges],
      sic: filer.sic,
      sic_description: filer.sicDescription,
      fiscal_year_end: filer.fiscalYearEnd,
      state_of_incorporation: filer.stateOfIncorporation,
      former_names: [...filer.formerNames],
      cited: wording.sources.assignId(filerSource),
    },
    filings: filings.map((read) => formatFiling(filer.cik, read, wording)),
  };
}

function formatFiling(cik: string, read: ReadFiling, wording: FormatContext): ReportedFiling {
  const { filing, document, facts, listedIn } = read;
  const { sources } = wording;
  const folder = `https://www.sec.gov${filingFolder(cik, filing.accession)}`;
  const name = filing.primaryDocument;
  return {
    accession: filing.accession,
    form: filing.form,
    amendment: isAmendment(filing.form),
    filing_date: filing.filingDate,
    report_date: filing.reportDate,
    accepted_at: toIsoTime(filing.acceptedAt),
    items: [...filing.items],
    index_url: `${folder}/${filing.accession}-index.htm`,
    document:
      name === null
        ? null
        : {
            url: `${folder}/${name}`,
            sha256: document?.source.sha256 ?? null,
            bytes: document?.source.bytes ?? null,
            cited: document === null ? null : sources.assignId(document.source),
          },
    facts: facts?.picked.facts.map((fact) => formatFact(fact, facts.source, wording)) ?? null,
    facts_missing: facts?.picked.missing.map(formatMissingFact) ?? [],
    sections: document?.sections?.flatMap((one) => formatSection(one, wording)) ?? null,
    cited: sources.assignId(listedIn),
  };
}

function formatFact(
  fact: PeriodFact,
  source: Parameters<SourceList['assignId']>[0],
  { sources, now }: FormatContext,
): ReportedFact {
  return {
    metric: fact.metric,
    concept: fact.concept,
    period: fact.period,
    start: fact.start,
    end: fact.end,
    duration_days: fact.durationDays,
    figure: createDataValue({
      value: fact.value,
      unit: fact.unit,
      now,
      // A figure is valid at the end of its last day.
      asOf: Date.parse(fact.end) + DAY_MS,
      asOfKind: 'upstream_event',
      maxAgeMs: factMaxAgeMs(fact.form),
      sources: [sources.assignId(source)],
    }),
    form: fact.form,
    accession: fact.accession,
  };
}

function formatMissingFact({ metric, why, candidates }: MissingFact) {
  return { metric, why, candidates: candidates.map((one) => ({ ...one })) };
}

function formatSection(section: FilingSection, wording: FormatContext): readonly ReportedSection[] {
  const { items, nonce } = wording;
  if (items.length > 0 && !items.some((item) => matchesItem(section, item))) return [];
  const whole = cleanText(section.text).text;
  const text = whole.slice(0, SECTION_CHARS_MAX).replace(/[\uD800-\uDBFF]$/, '');
  return [
    {
      item: section.item,
      items: [...section.items],
      part: section.part,
      title: cleanText(section.title).text,
      text: wrapUntrusted(text, nonce),
      chars: text.length,
      truncated: text.length < whole.length,
      text_sha256: sha256Hex(text),
    },
  ];
}
