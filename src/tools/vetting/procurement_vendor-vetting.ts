import { z } from 'zod';
import type { VettingPorts } from '../../actors/vetting/lenses.ts';
import { createVendorVettingKind } from '../../actors/vetting/vetting-kind.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { VettingReport } from '../../domain/vetting/verdict.ts';
import { COMPANY_FIELDS, checkJurisdiction } from '../company/company-subject.ts';
import { createReportTool, type ReportToolDeps } from '../report/report-tool.ts';

const NAME = 'procurement_vendor-vetting';

const Input = z.strictObject({
  ...COMPANY_FIELDS,
  wait_s: z.int().min(0).max(120).default(30).describe('Seconds to wait; 0 returns at once.'),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.50';
const DESCRIPTION = [
  'Check a vendor through four lenses. Financial health: ratios of the latest annual report, late',
  'filing notices, auditor doubts. Security posture over ASI01 to ASI10: the latest audit of its',
  'origin published here. Compliance and sanctions: public registries, and the US, UN and EU',
  'sanctions lists. Delivery history: jobs and disputes recorded here. Each lens reports its',
  'coverage, and every finding and figure cites its source. Each searched list has its date: no',
  'hit does not prove that the vendor is clean. For eleven sections on a company use',
  `ops_due-diligence-scan. Returns a job; get_result waits for it or cancels it. $${PRICE_USD};`,
  'refunded in full if no source answers.',
].join(' ');

/** The data sources of the lenses, without the records of this server. */
export type VettingDataDeps = Omit<VettingPorts, keyof LocalRecords>;

/** Dependencies of the tool. */
export interface VettingToolDeps {
  readonly data: VettingDataDeps;
  readonly reporting: ReportToolDeps & { readonly ownRecords: LocalRecords };
}

/** Creates the tool `procurement_vendor-vetting`. */
export function vendorVettingTool({ data, reporting }: VettingToolDeps): Tool<Input> {
  return createReportTool(reporting, {
    kind: { ...createVendorVettingKind({ ...data, ...reporting.ownRecords }), tool: NAME },
    title: 'Vendor risk vetting',
    description: DESCRIPTION,
    price: formatMicroUsd(parseUsd(PRICE_USD)),
    input: Input,
    data: VettingReport,
    ready: ({ jurisdiction }) => {
      checkJurisdiction(jurisdiction, data.registries);
      return undefined;
    },
  });
}
