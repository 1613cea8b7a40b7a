import { z } from 'zod';
import { dueDiligence } from '../../actors/company/diligence-kind.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import type { OwnRecords } from '../../domain/report/own-records.ts';
import type { Tool } from '../../domain/tool/tool.ts';
import { siteHostOf } from '../../domain/vetting/site.ts';
import { DiligenceReport } from '../../domain/vetting/verdict.ts';
import { type ReportToolDeps, reportTool } from '../report/report-tool.ts';
import { COMPANY_FIELDS, checkJurisdiction } from './company-subject.ts';
import { type DiligenceDataDeps, diligencePorts } from './diligence-ports.ts';

const NAME = 'ops_due-diligence-scan';

const Input = z.strictObject({
  ...COMPANY_FIELDS,
  website: z
    .string()
    .refine((text) => siteHostOf(text) !== undefined, 'A web address or the name of its host.')
    .optional()
    .describe('Its web site, such as https://example.org; else the one of its registry is read.'),
  wait_s: z.int().min(0).max(300).default(30).describe('Seconds to wait; 0 answers at once.'),
});
type Input = z.infer<typeof Input>;

const DESCRIPTION = [
  'Looks at a company from eleven sides: identity (public registries), ownership (parents by',
  'global identifiers), financials (ratios, late filings, doubts of auditors and grave events of',
  'its filings), litigation (as its filings tell), key personnel (as registries publish them),',
  'intellectual property, sanctions (its names, owners and people against the lists), media',
  'sentiment (curated news of two weeks), web presence (its site from outside: https, headers,',
  'security.txt), security (audits published here) and its record on this server. Each side says',
  'how far it could look: what nothing here can tell is not_covered, never clean. Findings',
  'and figures cite sources; lists that were searched are named with their dates. An overall is',
  'given only where enough could be looked at, and says what is missing. A job: get_result waits',
  'for it and cancels it. Where nothing answers, the price goes back.',
].join(' ');

/** What the tool works with. */
export interface DiligenceToolDeps {
  readonly data: DiligenceDataDeps;
  readonly reporting: ReportToolDeps & { readonly ownRecords: OwnRecords };
}

/** The tool that makes a due diligence. */
export function dueDiligenceTool({ data, reporting }: DiligenceToolDeps): Tool<Input> {
  return reportTool(reporting, {
    kind: { ...dueDiligence(diligencePorts(data, reporting.ownRecords)), tool: NAME },
    title: 'Due diligence on a company',
    description: DESCRIPTION,
    price: toText(microUsd('0.90')),
    input: Input,
    data: DiligenceReport,
    ready: ({ jurisdiction }) => {
      checkJurisdiction(jurisdiction, data.registries);
      return undefined;
    },
  });
}
