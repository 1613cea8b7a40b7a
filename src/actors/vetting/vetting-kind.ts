import { z } from 'zod';
import { type DataFault, faultOf } from '../../domain/data/fault.ts';
import { SourceList } from '../../domain/data/source.ts';
import { dataValue } from '../../domain/data/value.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import {
  type LensReport,
  LensResult,
  type VettingReport,
  verdictOf,
} from '../../domain/vetting/lens.ts';
import type { ReportKind, StepResults } from '../reports/report-kind.ts';
import { compliance } from './compliance.ts';
import { delivery } from './delivery.ts';
import { finances } from './finances.ts';
import type { Lens, VettingPorts } from './lenses.ts';
import { posture } from './posture.ts';

/** Milliseconds for one lens. */
const LENS_MS = 90 * SECOND_MS;
/** Wire name of the tool that sells vettings. */
const VETTING_TOOL = 'procurement_vendor-vetting';

/** What a vetting is asked about. */
const VettingRequest = z.object({
  name: z.string(),
  jurisdiction: z.string().optional(),
  ticker: z.string().optional(),
  origin: z.string().optional(),
  wallet: z.string().optional(),
});

const LENSES: Readonly<Record<string, { readonly title: string; readonly lens: Lens }>> = {
  financial_health: { title: 'Financial health from filings', lens: finances },
  security_posture: { title: 'Security posture over ASI01 to ASI10', lens: posture },
  compliance_and_sanctions: { title: 'Registries and sanctions lists', lens: compliance },
  delivery_history: { title: 'Jobs and disputes on record here', lens: delivery },
};

/** The kind of report that vets a vendor: a step for each lens, and one verdict over them. */
export function vendorVetting(ports: VettingPorts): ReportKind {
  return {
    kind: 'vendor_vetting',
    tool: VETTING_TOOL,
    deadlineMs: 6 * MINUTE_MS,
    steps: () =>
      Object.entries(LENSES).map(([id, { title, lens }]) => ({
        ...{ id, title, timeoutMs: LENS_MS },
        run: async ({ input, signal, deadline }) => {
          const found = await lens(VettingRequest.parse(input), ports, { signal, deadline });
          return found as unknown as Json;
        },
      })),
    compose: (input, results, { now }) => compose(input, results, now()),
  };
}

function compose(input: JsonObject, results: StepResults, now: number) {
  const { name } = VettingRequest.parse(input);
  const sources = new SourceList();
  const seen = Object.keys(LENSES).map((lens) => lensOf(lens, results, { sources, now }));
  const lenses = seen.map(({ report }) => report);
  const missing = lenses.filter(({ status }) => MISSING.has(status)).map(({ lens }) => lens);
  const isNone = missing.length === lenses.length;
  const verdict = verdictOf(lenses);
  const flags = lenses.flatMap(({ lens, findings }) =>
    findings
      .filter(({ severity }) => severity === 'high' || severity === 'medium')
      .map((finding) => ({ ...finding, lens })),
  );
  const data: VettingReport = { subject: name, verdict, lenses, red_flags: flags };
  return {
    headline: isNone
      ? `Nothing answered about ${name}.`
      : `${name}: ${verdict}; ${flags.length} red flags, ${lenses.length - missing.length} of ` +
        `${lenses.length} lenses could look.`,
    lines: flags.map(({ lens, claim, severity }) => `${severity} (${lens}): ${claim}`),
    data: isNone ? null : (data as unknown as JsonObject),
    sources: sources.records(),
    coverage: { asked: lenses.length, answered: lenses.length - missing.length, missing },
    faults: seen.flatMap(({ faults }) => faults),
    method: METHOD,
    disclaimer: 'What the named records say. No hit is no proof of good standing; no legal advice.',
  };
}

const MISSING: ReadonlySet<LensReport['status']> = new Set(['failed', 'not_configured', 'no_data']);

const METHOD = {
  verdict: 'the worst finding; insufficient_evidence while under two lenses could look',
  ratios: 'only where every input has one end, one unit and one accession number',
  sanctions: 'trigrams, then likeness of names from 0.82 on; 0.95 and more is high',
  security: 'the latest audit of the origin that was published here; none is begun',
  delivery: 'public events of this server',
};

interface Wording {
  readonly sources: SourceList;
  readonly now: number;
}

function lensOf(
  lens: string,
  results: StepResults,
  { sources, now }: Wording,
): { readonly report: LensReport; readonly faults: readonly DataFault[] } {
  const end = results[lens];
  if (end?.state !== 'done') {
    const detail = 'There was no time for it.';
    const fault = end?.fault ?? faultOf('deadline_exceeded', { upstream: lens, detail });
    const nothing = { findings: [], figures: [], searched: [] };
    return { report: { lens, status: 'failed', note: fault.detail, ...nothing }, faults: [fault] };
  }
  const found = LensResult.parse(end.value);
  const ids = found.sources.map((source) => sources.idOf(source));
  const cite = (places: readonly number[]) => places.flatMap((place) => ids[place] ?? []);
  const report: LensReport = {
    ...{ lens, status: found.status, note: found.note, searched: found.searched },
    findings: found.findings.map((one) => ({ ...one, cited: cite(one.cited) })),
    figures: found.figures.map(({ name, formula, value, unit, asOf, maxAgeMs, cited }) => ({
      ...{ name, formula },
      figure: dataValue({
        ...{ value, unit, asOf, maxAgeMs, now, sources: cite(cited) },
        asOfKind: 'upstream_event',
      }),
    })),
  };
  return { report, faults: found.faults };
}
