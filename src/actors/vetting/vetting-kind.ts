import { toJson } from '../../domain/common/json.ts';
import { MINUTE_MS } from '../../domain/common/time.ts';
import { computeVerdict, VENDOR_RULE, type VettingReport } from '../../domain/vetting/verdict.ts';
import type { ReportKind } from '../report/report-kind.ts';
import { delivery } from './delivery.ts';
import { finances } from './finances.ts';
import { registration } from './identity.ts';
import { joinLenses } from './join-lenses.ts';
import { createLensKind } from './lens-kind.ts';
import type { Lens, VettingPorts } from './lenses.ts';
import { posture } from './posture.ts';
import { sanctions } from './sanctions.ts';

/**
 * Checks registries and sanctions lists: whether the company exists and whether its names are
 * listed.
 */
const compliance: Lens = async (subject, ports, limits) => {
  const known = await registration(subject, ports, limits);
  const { records } = known;
  return joinLenses([known, await sanctions({ ...subject, records }, ports, limits)]);
};

/** Creates the report kind that vets a vendor: one step per lens, and one verdict. */
export function createVendorVettingKind(ports: VettingPorts): ReportKind {
  return createLensKind(ports, {
    kind: 'vendor_vetting',
    tool: 'procurement_vendor-vetting',
    deadlineMs: 6 * MINUTE_MS,
    lenses: {
      financial_health: { title: 'Financial health from filings', lens: finances },
      security_posture: { title: 'Security posture over ASI01 to ASI10', lens: posture },
      compliance_and_sanctions: { title: 'Registries and sanctions lists', lens: compliance },
      delivery_history: { title: 'Jobs and disputes on this server', lens: delivery },
    },
    method: METHOD,
    fold: (seen) => {
      const verdict = computeVerdict(seen.lenses, VENDOR_RULE);
      const data: VettingReport = { ...seen, verdict };
      return { verdict, data: toJson(data) };
    },
  });
}

const METHOD = {
  verdict: 'the worst finding; insufficient_evidence if fewer than two lenses have data',
  ratios: 'only if all inputs share one period end, one unit, and one accession number',
  sanctions: 'trigrams, then name similarity of at least 0.82; 0.95 or more is high',
  security: 'the latest published audit of the origin; no audit is started',
  delivery: 'public events of this server',
};
