import type { AuditReport } from '../audit/report.ts';
import { type CheckedEvidence, type EvidenceWeight, irrelevant } from './evidence.ts';
import type { RequirementRule } from './requirements.ts';

type EvidenceOf<Kind extends CheckedEvidence['kind']> = Extract<
  CheckedEvidence,
  { readonly kind: Kind }
>;
type RuleOf<Name extends RequirementRule['by']> = Extract<RequirementRule, { readonly by: Name }>;

/** Proof kind of delegations granted and revoked. */
const DELEGATION_PROOF = 30014;

/** Weighs an item of evidence against a rule. Irrelevant evidence says nothing. */
export function weighEvidence(rule: RequirementRule, evidence: CheckedEvidence): EvidenceWeight {
  if (evidence.kind === 'invalid') return irrelevant(`it is invalid: ${evidence.reason}`);
  switch (rule.by) {
    case 'probes':
      return evidence.kind === 'audit' ? weighProbes(rule, evidence.report) : irrelevantTo(rule);
    case 'injection':
      return evidence.kind === 'audit' ? weighInjection(rule, evidence.report) : irrelevantTo(rule);
    case 'manifest':
      return evidence.kind === 'manifest' ? weighManifest(evidence) : irrelevantTo(rule);
    case 'identity':
      return evidence.kind === 'passport' ? weighIdentity(evidence) : irrelevantTo(rule);
    case 'delegation':
      return weighDelegation(evidence, rule);
    case 'badge':
      return evidence.kind === 'badge' ? weighBadge(evidence) : irrelevantTo(rule);
    case 'process':
      return evidence.kind === 'process' ? weighProcess(evidence) : irrelevantTo(rule);
  }
}

function irrelevantTo({ by }: RequirementRule): EvidenceWeight {
  return irrelevant(`it is not evidence for this requirement (${by})`);
}

/** Confirmed findings violate the requirement; probes that did not run leave it open. */
function weighProbes({ probes }: RuleOf<'probes'>, report: AuditReport): EvidenceWeight {
  const findings = report.findings.filter(({ probe_id }) => probes.includes(probe_id));
  const confirmed = findings.filter((one) => one.status === 'confirmed' && one.severity !== 'info');
  if (confirmed.length > 0) {
    const [first] = confirmed;
    return { says: 'unmet', reason: `confirmed: ${first?.title ?? ''} (${first?.finding_id})` };
  }
  const rows = report.probes.filter(({ probe_id }) => probes.includes(probe_id));
  const examined = rows.filter(({ outcome }) => outcome === 'clean' || outcome === 'found');
  if (examined.length === 0) return irrelevant('none of its probes examined the target');
  const open = findings.filter(({ status }) => status !== 'confirmed' && status !== 'refuted');
  const concerned = rows.filter(({ outcome }) => outcome !== 'not_applicable');
  const missing = probes.filter((name) => !rows.some(({ probe_id }) => probe_id === name));
  if (examined.length < concerned.length || missing.length > 0) {
    const names = [
      ...missing,
      ...concerned.filter((row) => !examined.includes(row)).map(({ probe_id }) => probe_id),
    ];
    return { says: 'partly', reason: `probes that did not run fully: ${names.join(', ')}` };
  }
  if (open.length > 0) {
    return { says: 'partly', reason: `${open.length} findings that no second seat confirmed` };
  }
  return { says: 'met', reason: `${examined.map((row) => row.probe_id).join(', ')} found nothing` };
}

function weighInjection(
  { channel }: RuleOf<'injection'>,
  { injection }: AuditReport,
): EvidenceWeight {
  if (injection === undefined) return irrelevant('it is not a report of the injection corpus');
  const { assessed, obeyed, verdict } = injection[channel];
  if (verdict === 'not_assessed') return irrelevant(`no ${channel} text was answered`);
  const classes = injection.classes.filter((one) => one.channel === channel);
  if (obeyed > 0) {
    const names = classes.filter((one) => one.obeyed > 0).map((one) => one.class);
    return { says: 'unmet', reason: `${obeyed} of ${assessed} obeyed: ${names.join(', ')}` };
  }
  const open = classes.filter((one) => one.verdict === 'not_assessed').map((one) => one.class);
  if (open.length > 0) return { says: 'partly', reason: `not assessed: ${open.join(', ')}` };
  return { says: 'met', reason: `0 of ${assessed} ${channel} texts obeyed` };
}

function weighManifest({ audit, differing }: EvidenceOf<'manifest'>): EvidenceWeight {
  if (differing.length === 0) {
    return { says: 'met', reason: `every definition equals the one pinned by audit ${audit}` };
  }
  const shownNames = differing.slice(0, 5).join(', ');
  return { says: 'unmet', reason: `${differing.length} differ from those served: ${shownNames}` };
}

function weighIdentity({ passport }: EvidenceOf<'passport'>): EvidenceWeight {
  const { agent_id, status, wallet, revoked } = passport;
  if (status === 'revoked') {
    return { says: 'unmet', reason: `${agent_id} was revoked: ${revoked?.reason ?? ''}` };
  }
  if (wallet === null) return { says: 'partly', reason: `${agent_id} has no wallet bound` };
  return { says: 'met', reason: `${agent_id} is active, with the wallet ${wallet}` };
}

function weighDelegation(evidence: CheckedEvidence, rule: RequirementRule): EvidenceWeight {
  if (evidence.kind === 'proof') {
    if (evidence.proofKind !== DELEGATION_PROOF) return irrelevantTo(rule);
    return { says: 'partly', reason: `the log has the grant ${evidence.ref}; add the passport` };
  }
  if (evidence.kind !== 'passport') return irrelevantTo(rule);
  const { delegations } = evidence.passport;
  if (delegations.length === 0) return irrelevant('the passport has no delegation');
  const revoked = delegations.filter(({ status }) => status === 'revoked');
  const active = delegations.filter(({ status }) => status === 'active');
  const loose = active.filter(({ scope, proof_seq }) => scope.includes('*') || proof_seq === null);
  if (loose.length > 0) {
    return { says: 'partly', reason: `${loose.length} without a scope limit or not recorded` };
  }
  const counts = `${active.length} active, ${revoked.length} revoked`;
  return { says: 'met', reason: `every delegation is limited and recorded: ${counts}` };
}

function weighBadge({ badge, earned }: EvidenceOf<'badge'>): EvidenceWeight {
  if (earned === 'none') return { says: 'unmet', reason: 'settled jobs currently earn no badge' };
  return { says: 'met', reason: `stated ${badge}, currently earned: ${earned}` };
}

function weighProcess({ name, isWhole }: EvidenceOf<'process'>): EvidenceWeight {
  if (!isWhole) {
    return {
      says: 'unmet',
      reason: `${name}: steps are missing, without evidence or out of order`,
    };
  }
  const reason = `${name} is complete; an attestation covers the submitted evidence only`;
  return { says: 'partly', reason };
}
