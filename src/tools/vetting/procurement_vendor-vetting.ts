import { z } from 'zod';
import type { VettingPorts } from '../../actors/vetting/lenses.ts';
import { createVendorVettingKind } from '../../actors/vetting/vetting-kind.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { waitField } from '../../domain/tool/wait-field.ts';
import { VettingReport } from '../../domain/vetting/verdict.ts';
import { COMPANY_FIELDS, checkJurisdiction } from '../company/company-subject.ts';
import { createReportTool, type ReportToolDeps } from '../report/report-tool.ts';

const NAME = 'procurement_vendor-vetting';

const Input = z.strictObject({
  ...COMPANY_FIELDS,
  wait_s: waitField(120, 30),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.50';
const DESCRIPTION = [
  'Check a vendor through four lenses. Financial health: ratios of the latest annual report, late',
  'filing notices, auditor doubts. Security posture over ASI01 to ASI10: the latest audit of its',
  'origin published here. Compliance and sanctions: public registries, and the sanctions lists of',
  'US, UN, EU and UK. Delivery history: jobs and disputes recorded here. Each lens reports its',
  'coverage, and every finding and figure cites its source. Each searched list has its date: no',
  'hit does not prove that the vendor is clean. For eleven sections on a company use',
  `ops_due-diligence-scan. Returns a job; get_result waits for it or cancels it. $${PRICE_USD};`,
  'refunded in full if no source answers.',
].join(' ');

/** Creates the tool `procurement_vendor-vetting`. */
export function vendorVettingTool(services: VettingPorts & ReportToolDeps): Tool<Input> {
  return createReportTool(services, {
    kind: { ...createVendorVettingKind(services), tool: NAME },
    title: 'Vendor risk vetting',
    description: DESCRIPTION,
    summary:
      'Check a vendor’s finances, security, sanctions and delivery history. For eleven ' +
      'sections use ops_due-diligence-scan. Returns a job. Full refund without sources.',
    example: { name: 'Equinor ASA', ticker: 'EQNR' },
    price: formatMicroUsd(parseUsd(PRICE_USD)),
    input: Input,
    data: VettingReport,
    ready: ({ jurisdiction }) => {
      checkJurisdiction(jurisdiction, services.registries);
      return undefined;
    },
  });
}
