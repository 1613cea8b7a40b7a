import { z } from 'zod';
import { createDueDiligenceKind } from '../../actors/company/diligence-kind.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { ADVANCED } from '../../domain/tool/advanced.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { waitField } from '../../domain/tool/wait-field.ts';
import { parseSiteHost } from '../../domain/vetting/site.ts';
import { DiligenceReport } from '../../domain/vetting/verdict.ts';
import { createReportTool, type ReportToolDeps } from '../report/report-tool.ts';
import { COMPANY_FIELDS, checkJurisdiction } from './company-subject.ts';
import { createDiligencePorts, type DiligenceServices } from './diligence-ports.ts';

const NAME = 'ops_due-diligence-scan';

const Input = z.strictObject({
  ...COMPANY_FIELDS,
  website: z
    .string()
    .refine((text) => parseSiteHost(text) !== undefined, 'A web address or a host name.')
    .optional()
    .describe('Website, such as https://example.org. Default: the one in its registry record.')
    .meta(ADVANCED),
  wait_s: waitField(300, 30),
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

/** Creates the tool `ops_due-diligence-scan`. */
export function dueDiligenceTool(services: DiligenceServices & ReportToolDeps): Tool<Input> {
  return createReportTool(services, {
    kind: { ...createDueDiligenceKind(createDiligencePorts(services)), tool: NAME },
    title: 'Company due diligence report',
    description: DESCRIPTION,
    summary:
      'Check a company in eleven sections, from ownership and financials to litigation ' +
      'and sanctions. For four lenses use procurement_vendor-vetting. Returns a job. ' +
      'Full refund without sources.',
    example: { name: 'Equinor ASA', jurisdiction: 'no' },
    price: formatMicroUsd(parseUsd(PRICE_USD)),
    input: Input,
    data: DiligenceReport,
    ready: ({ jurisdiction }) => {
      checkJurisdiction(jurisdiction, services.registries);
      return undefined;
    },
  });
}
