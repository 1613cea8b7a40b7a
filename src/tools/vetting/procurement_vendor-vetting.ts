import { z } from 'zod';
import type { VettingPorts } from '../../actors/vetting/lenses.ts';
import { vendorVetting } from '../../actors/vetting/vetting-kind.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import type { OwnRecords } from '../../domain/report/own-records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { VettingReport } from '../../domain/vetting/verdict.ts';
import { COMPANY_FIELDS, checkJurisdiction } from '../company/company-subject.ts';
import { type ReportToolDeps, reportTool } from '../report/report-tool.ts';

const NAME = 'procurement_vendor-vetting';

const Input = z.strictObject({
  ...COMPANY_FIELDS,
  wait_s: z.int().min(0).max(120).default(30).describe('Seconds to wait; 0 answers at once.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Vets a vendor through four lenses: financial health (ratios of the latest yearly report,',
  'notices of late filing, doubts of auditors), security posture over ASI01 to ASI10 (the',
  'latest audit of its origin that was published here), compliance and sanctions (public',
  'registries, and the sanctions lists of the United States, the United Nations and the European',
  'Union), and delivery history (jobs and disputes on record here). Each lens says how far it',
  'could look, and every finding and figure cites its source; what was searched is named with its',
  'date, as no hit is not the same as clean. A job: get_result waits for it and cancels it. Where',
  'nothing answers, the price goes back.',
].join(' ');

/** What its lenses look through, of the data that other tools read too. */
export type VettingDataDeps = Omit<VettingPorts, keyof OwnRecords>;

/** What the tool works with. */
export interface VettingToolDeps {
  readonly data: VettingDataDeps;
  readonly reporting: ReportToolDeps & { readonly ownRecords: OwnRecords };
}

/** The tool that vets a vendor. */
export function vendorVettingTool({ data, reporting }: VettingToolDeps): Tool<Input> {
  return reportTool(reporting, {
    kind: { ...vendorVetting({ ...data, ...reporting.ownRecords }), tool: NAME },
    title: 'Vetting of a vendor',
    description: DESCRIPTION,
    price: toText(microUsd('0.50')),
    input: Input,
    data: VettingReport,
    ready: ({ jurisdiction }) => {
      checkJurisdiction(jurisdiction, data.registries);
      return undefined;
    },
  });
}
