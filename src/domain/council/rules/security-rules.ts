import { type CouncilRule, createRuleFactory, type Finding, unknownFinding } from './rule.ts';

const ciso = createRuleFactory('CISO');
const legal = createRuleFactory('LEGAL');
const audit = createRuleFactory('AUDIT');

/** Rules of the chief information security officer. */
export const CISO_RULES: readonly CouncilRule[] = [
  ciso.isTrue(
    {
      id: '01',
      title: 'Multi-factor sign-in for all users',
      condition: 'The vendor enforces multi-factor sign-in for all users',
      isRedLine: true,
    },
    'multi-factor sign-in',
    ({ security }) => security?.mfa,
  ),
  ciso.make(
    {
      id: '02',
      title: 'Personal data is encrypted at rest',
      condition: 'The vendor encrypts personal data at rest',
      isRedLine: true,
    },
    ({ facts: { security } }) =>
      checkIfPersonalData(
        security?.personal_data,
        'encryption at rest',
        security?.pii_encrypted_at_rest,
      ),
  ),
  ciso.isTrue(
    {
      id: '03',
      title: 'Everything is encrypted in transit',
      condition: 'The vendor encrypts all traffic',
    },
    'encryption in transit',
    ({ security }) => security?.encrypted_in_transit,
  ),
  ciso.atMost(
    {
      id: '04',
      title: 'A penetration test within the last 12 months',
      condition: 'The vendor shows a penetration test of the last 12 months',
      dueDays: 60,
    },
    { fact: 'last penetration test', bound: 12, unit: 'months ago' },
    ({ security }) => security?.pentest_months_ago,
  ),
];

/** Rules of legal and privacy counsel. */
export const LEGAL_RULES: readonly CouncilRule[] = [
  legal.make(
    {
      id: '01',
      title: 'A data processing agreement where personal data is handled',
      condition: 'Sign a data processing agreement',
      isRedLine: true,
    },
    ({ facts: { security, data } }) =>
      checkIfPersonalData(security?.personal_data, 'data processing agreement', data?.dpa_signed),
  ),
  legal.isTrue(
    {
      id: '02',
      title: 'Subprocessors are listed',
      condition: 'The vendor lists its subprocessors and announces changes',
      dueDays: 30,
    },
    'subprocessors listed',
    ({ data }) => data?.subprocessors_listed,
  ),
  legal.make(
    {
      id: '03',
      title: 'Data stays in the required region',
      condition: 'The vendor keeps the data in the required region',
    },
    ({ facts: { data } }) => {
      const { residency, residency_required: required } = data ?? {};
      if (required === undefined || residency === undefined) return unknownFinding('residency');
      const isSame = residency.toLowerCase() === required.toLowerCase();
      return {
        verdict: isSame ? 'pass' : 'fail',
        text: `residency: ${residency} (required ${required})`,
      };
    },
  ),
  legal.isTrue(
    {
      id: '04',
      title: 'The governing law is one that we accept',
      condition: 'Agree a governing law that we accept',
    },
    'governing law accepted',
    ({ contract }) => contract?.governing_law_accepted,
  ),
];

/** Rules of internal audit. */
export const AUDIT_RULES: readonly CouncilRule[] = [
  audit.isTrue(
    { id: '01', title: 'We may audit the vendor', condition: 'Agree a right to audit the vendor' },
    'right of audit',
    ({ contract }) => contract?.audit_right,
  ),
  audit.isTrue(
    {
      id: '02',
      title: 'Audit logs can be exported',
      condition: 'The vendor offers export of audit logs',
      dueDays: 90,
    },
    'export of audit logs',
    ({ fit }) => fit?.audit_log_export,
  ),
  audit.isTrue(
    {
      id: '03',
      title: 'An independent report on controls exists',
      condition: 'The vendor provides a SOC 2 or equivalent report',
      dueDays: 60,
    },
    'report on controls',
    ({ vendor }) => vendor?.soc_report,
  ),
];

/** Without personal data the rule passes; if that is not stated, personal data may be present. */
function checkIfPersonalData(
  personalData: boolean | undefined,
  fact: string,
  value: boolean | undefined,
): Finding {
  if (personalData === false) return { verdict: 'pass', text: `${fact}: no personal data` };
  if (value === undefined) return unknownFinding(fact);
  return { verdict: value ? 'pass' : 'fail', text: `${fact}: ${value ? 'yes' : 'no'}` };
}
