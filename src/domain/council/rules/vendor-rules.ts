import { type CouncilRule, createRuleFactory, parsePercent } from './rule.ts';

const operations = createRuleFactory('OPERATIONS');
const esg = createRuleFactory('ESG');
const risk = createRuleFactory('RISK');

/** Rules of the operations lead. */
export const OPERATIONS_RULES: readonly CouncilRule[] = [
  operations.atLeast(
    {
      id: '01',
      title: 'At least 99.5 percent of availability is promised',
      condition: 'Agree at least 99.5 percent of availability',
    },
    { fact: 'availability', bound: 99.5, unit: 'percent' },
    ({ service }) => parsePercent(service?.uptime_pct),
  ),
  operations.atMost(
    {
      id: '02',
      title: 'Service is restored within 24 hours',
      condition: 'Agree a restoration time of at most 24 hours',
    },
    { fact: 'restoration time', bound: 24, unit: 'hours' },
    ({ service }) => service?.rto_hours,
  ),
  operations.atMost(
    {
      id: '03',
      title: 'At most 24 hours of data can be lost',
      condition: 'Agree a recovery point of at most 24 hours',
    },
    { fact: 'recovery point', bound: 24, unit: 'hours' },
    ({ service }) => service?.rpo_hours,
  ),
  operations.isTrue(
    {
      id: '04',
      title: 'Missed service levels are credited',
      condition: 'Agree credits for missed service levels',
    },
    'service credits',
    ({ service }) => service?.credits,
  ),
];

/** Rules of the sustainability officer. */
export const ESG_RULES: readonly CouncilRule[] = [
  esg.isTrue(
    {
      id: '01',
      title: 'The vendor has signed our supplier code',
      condition: 'The vendor signs our supplier code',
      dueDays: 30,
    },
    'supplier code',
    ({ vendor }) => vendor?.supplier_code_signed,
  ),
  esg.isTrue(
    {
      id: '02',
      title: 'The vendor reports on sustainability',
      condition: 'The vendor publishes a sustainability report',
      dueDays: 365,
    },
    'sustainability report',
    ({ vendor }) => vendor?.esg_report,
  ),
  esg.isTrue(
    {
      id: '03',
      title: 'The vendor discloses its carbon emissions',
      condition: 'The vendor discloses the carbon emissions of the service',
      dueDays: 365,
    },
    'carbon disclosed',
    ({ vendor }) => vendor?.carbon_disclosed,
  ),
];

/** Rules of the risk officer. */
export const RISK_RULES: readonly CouncilRule[] = [
  risk.isTrue(
    { id: '01', title: 'An exit plan exists', condition: 'Write an exit plan' },
    'exit plan',
    ({ vendor }) => vendor?.exit_plan,
  ),
  risk.isTrue(
    {
      id: '02',
      title: 'A substitute is named',
      condition: 'Name a replacement vendor',
      dueDays: 90,
    },
    'substitute',
    ({ vendor }) => vendor?.substitute_named,
  ),
  risk.isTrue(
    {
      id: '03',
      title: 'The vendor’s finances were reviewed',
      condition: 'Review the vendor’s finances',
      dueDays: 30,
    },
    'finances reviewed',
    ({ vendor }) => vendor?.financials_reviewed,
  ),
  risk.atLeast(
    {
      id: '04',
      title: 'The vendor has traded for at least three years',
      condition: 'Require a guarantee or source code escrow',
      dueDays: 60,
    },
    { fact: 'trading for', bound: 3, unit: 'years' },
    ({ vendor }) => vendor?.years_trading,
  ),
];
