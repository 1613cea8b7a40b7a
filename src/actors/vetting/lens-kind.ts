import { z } from 'zod';
import { type JsonObject, toJson } from '../../domain/common/json.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { createDataFailure, type DataFailure } from '../../domain/data/data-failure.ts';
import { SourceList } from '../../domain/data/source.ts';
import { createDataValue } from '../../domain/data/value.ts';
import { type LensReport, LensResult } from '../../domain/vetting/lens.ts';
import { listRedFlags, type RedFlag, type VettingVerdict } from '../../domain/vetting/verdict.ts';
import type { ReportKind, StepResults } from '../report/report-kind.ts';
import type { Lens } from './lenses.ts';

/** Time limit of one lens, in milliseconds. */
export const LENS_MS = 90 * SECOND_MS;

/** The request of a lens report. */
const SubjectRequest = z.object({
  name: z.string(),
  jurisdiction: z.string().optional(),
  ticker: z.string().optional(),
  origin: z.string().optional(),
  wallet: z.string().optional(),
  website: z.string().optional(),
});

/** The results of all lenses. */
export interface LensReports {
  readonly subject: string;
  readonly lenses: LensReport[];
  readonly red_flags: RedFlag[];
}

/** The specific parts of one lens report. */
export interface LensKindFacts<Ports> extends Pick<ReportKind, 'kind' | 'tool' | 'deadlineMs'> {
  /** Lenses by name, in order. Later ones receive the records that earlier ones found. */
  readonly lenses: Readonly<Record<string, { readonly title: string; readonly lens: Lens<Ports> }>>;
  readonly method: Readonly<Record<string, string>>;
  /** Folds the lens results into the answer. */
  fold(seen: LensReports): { readonly verdict: VettingVerdict; readonly data: JsonObject };
}

/** Creates a report kind with one step per lens and one verdict. */
export function createLensKind<Ports>(ports: Ports, facts: LensKindFacts<Ports>): ReportKind {
  const { kind, tool, deadlineMs, lenses } = facts;
  return {
    kind,
    tool,
    deadlineMs,
    steps: () =>
      Object.entries(lenses).map(([id, { title, lens }]) => ({
        id,
        title,
        timeoutMs: LENS_MS,
        run: async ({ input, earlier, signal, deadline }) => {
          const subject = { ...SubjectRequest.parse(input), records: collectRecords(earlier) };
          const found = await lens(subject, ports, { signal, deadline });
          return toJson(found);
        },
      })),
    compose: (input, results, { now }) => compose(facts, input, { results, now: now() }),
  };
}

function collectRecords(earlier: StepResults) {
  return Object.values(earlier).flatMap((end) =>
    end.state === 'done' ? (LensResult.parse(end.value).records ?? []) : [],
  );
}

function compose<Ports>(
  { lenses: named, fold, method }: LensKindFacts<Ports>,
  input: JsonObject,
  { results, now }: { readonly results: StepResults; readonly now: number },
) {
  const { name } = SubjectRequest.parse(input);
  const sources = new SourceList();
  const seen = Object.keys(named).map((lens) => createLensReport(lens, results, { sources, now }));
  const lenses = seen.map(({ report }) => report);
  const missing = lenses.filter(({ status }) => MISSING.has(status)).map(({ lens }) => lens);
  const isNone = missing.length === lenses.length;
  const flags = listRedFlags(lenses);
  const { verdict, data } = fold({ subject: name, lenses, red_flags: flags });
  return {
    headline: isNone
      ? `No source answered about ${name}.`
      : `${name}: ${verdict}; ${flags.length} red flags, ${lenses.length - missing.length} of ` +
        `${lenses.length} lenses have data.`,
    lines: flags.map(({ lens, claim, severity }) => `${severity} (${lens}): ${claim}`),
    data: isNone ? null : data,
    sources: sources.records(),
    coverage: { asked: lenses.length, answered: lenses.length - missing.length, missing },
    faults: seen.flatMap(({ faults }) => faults),
    method,
    disclaimer: 'From the named records. No hit does not prove good standing. Not legal advice.',
  };
}

const MISSING: ReadonlySet<LensReport['status']> = new Set([
  ...(['failed', 'not_configured', 'not_covered', 'no_data'] as const),
]);

interface LensReportInputs {
  readonly sources: SourceList;
  readonly now: number;
}

function createLensReport(
  lens: string,
  results: StepResults,
  { sources, now }: LensReportInputs,
): { readonly report: LensReport; readonly faults: readonly DataFailure[] } {
  const end = results[lens];
  if (end?.state !== 'done') {
    const detail = 'Not enough time.';
    const fault = end?.fault ?? createDataFailure('deadline_exceeded', { upstream: lens, detail });
    const nothing = { findings: [], figures: [], searched: [] };
    return { report: { lens, status: 'failed', note: fault.detail, ...nothing }, faults: [fault] };
  }
  const found = LensResult.parse(end.value);
  const ids = found.sources.map((source) => sources.assignId(source));
  const cite = (places: readonly number[]) => places.flatMap((place) => ids[place] ?? []);
  const report: LensReport = {
    lens,
    status: found.status,
    note: found.note,
    searched: found.searched,
    findings: found.findings.map((one) => ({ ...one, cited: cite(one.cited) })),
    figures: found.figures.map(({ name, formula, value, unit, asOf, maxAgeMs, cited }) => ({
      name,
      formula,
      figure: createDataValue({
        value,
        unit,
        asOf,
        maxAgeMs,
        now,
        sources: cite(cited),
        asOfKind: 'upstream_event',
      }),
    })),
  };
  return { report, faults: found.faults };
}
