import { type CouncilRule, createRuleFactory, parsePercent } from './rule.ts';

const cio = createRuleFactory('CIO');
const user = createRuleFactory('END_USER');
const architect = createRuleFactory('ARCHITECT');

/** Rules of the chief information officer. */
export const CIO_RULES: readonly CouncilRule[] = [
  cio.isTrue(
    {
      id: '01',
      title: 'The purchase fits the strategy',
      condition: 'Document how the purchase fits the strategy',
    },
    'follows the strategy',
    ({ fit }) => fit?.strategy_aligned,
  ),
  cio.isTrue(
    {
      id: '02',
      title: 'Single sign-on with our directory',
      condition: 'Connect single sign-on to our directory',
      dueDays: 60,
    },
    'single sign-on',
    ({ security }) => security?.single_sign_on,
  ),
  cio.atLeast(
    {
      id: '03',
      title: 'It replaces at least one system',
      condition: 'Name the system that will be switched off',
      dueDays: 180,
    },
    { fact: 'systems replaced', bound: 1, unit: 'systems' },
    ({ fit }) => fit?.replaces_systems,
  ),
];

/** Rules of the end users' delegate. */
export const END_USER_RULES: readonly CouncilRule[] = [
  user.isTrue(
    { id: '01', title: 'A pilot was run', condition: 'Run a pilot with end users', dueDays: 60 },
    'pilot',
    ({ fit }) => fit?.pilot_done,
  ),
  user.atLeast(
    {
      id: '02',
      title: 'At least 70 percent of the pilot’s users were satisfied',
      condition: 'Fix what dissatisfied the pilot’s users',
      dueDays: 90,
    },
    { fact: 'satisfaction in the pilot', bound: 70, unit: 'percent' },
    ({ fit }) => parsePercent(fit?.pilot_satisfaction_pct),
  ),
  user.isTrue(
    {
      id: '03',
      title: 'It is accessible',
      condition: 'The vendor meets WCAG 2.2 AA',
      dueDays: 180,
    },
    'accessible',
    ({ fit }) => fit?.accessible,
  ),
];

/** Rules of the enterprise architect. */
export const ARCHITECT_RULES: readonly CouncilRule[] = [
  architect.isTrue(
    {
      id: '01',
      title: 'Its interfaces are documented',
      condition: 'The vendor documents its interfaces',
      dueDays: 30,
    },
    'documented interfaces',
    ({ fit }) => fit?.documented_api,
  ),
  architect.isTrue(
    {
      id: '02',
      title: 'Data leaves in an open format',
      condition: 'Agree export of all data in an open format',
    },
    'export in an open format',
    ({ data }) => data?.export_open_format,
  ),
  architect.atMost(
    {
      id: '03',
      title: 'The migration takes at most 26 weeks',
      condition: 'Plan the migration in steps of at most 26 weeks',
      dueDays: 30,
    },
    { fact: 'migration', bound: 26, unit: 'weeks' },
    ({ fit }) => fit?.migration_weeks,
  ),
];
