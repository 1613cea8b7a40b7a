import { z } from 'zod';
import { createDueDiligenceKind } from '../../actors/company/diligence-kind.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { LocalRecords } from '../../domain/report/own-records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { parseSiteHost } from '../../domain/vetting/site.ts';
import { DiligenceReport } from '../../domain/vetting/verdict.ts';
import { createReportTool, type ReportToolDeps } from '../report/report-tool.ts';
import { COMPANY_FIELDS, checkJurisdiction } from './company-subject.ts';
import { createDiligencePorts, type DiligenceDataDeps } from './diligence-ports.ts';

const NAME = 'ops_due-diligence-scan';

const Input = z.strictObject({
  ...COMPANY_FIELDS,
  website: z
    .string()
    .refine((text) => parseSiteHost(text) !== undefined, 'A web address or a host name.')
    .optional()
    .describe('Website, such as https://example.org. Default: the one in its registry record.'),
  wait_s: z.int().min(0).max(300).default(30).describe('Seconds to wait; 0 returns at once.'),
});
type Input = z.infer<typeof Input>;

const PRICE_USD = '0.90';
const DESCRIPTION = [
  'Check a company in eleven sections; each reports its coverage. Registries and filings:',
  'identity, ownership (parents by LEI), financials (ratios, late filings, auditor doubts, severe',
  'events), litigation and key personnel. Other sources: intellectual property, sanctions (names,',
  'owners, people), media sentiment (two weeks of curated news) and web presence (https, headers,',
  'security.txt). This server: security audits published here and the company’s record. A section',
  'that no source can check is not_covered, never clean. Findings cite sources; each searched list',
  'has its date. There is an overall rating only with enough coverage. For four lenses on a vendor',
  'use procurement_vendor-vetting. Returns a job; get_result waits for it or cancels it.',
  `$${PRICE_USD}; refunded in full if no source answers.`,
].join(' ');

/** Dependencies of the tool. */
export interface DiligenceToolDeps {
  readonly data: DiligenceDataDeps;
  readonly reporting: ReportToolDeps & { readonly ownRecords: LocalRecords };
}

/** Creates the tool `ops_due-diligence-scan`. */
export function dueDiligenceTool({ data, reporting }: DiligenceToolDeps): Tool<Input> {
  return createReportTool(reporting, {
    kind: {
      ...createDueDiligenceKind(createDiligencePorts(data, reporting.ownRecords)),
      tool: NAME,
    },
    title: 'Company due diligence report',
    description: DESCRIPTION,
    price: formatMicroUsd(parseUsd(PRICE_USD)),
    input: Input,
    data: DiligenceReport,
    ready: ({ jurisdiction }) => {
      checkJurisdiction(jurisdiction, data.registries);
      return undefined;
    },
  });
}
