import { invariant } from '../common/error.ts';
import type { SeatAnswer } from '../panel/answer.ts';
import type { PromptInput } from '../panel/definition.ts';
import type { TurnOrder } from '../panel/order.ts';
import { ARGUMENT_CHARS_MAX, BALLOT_PHASE } from '../panel/records.ts';
import { LEDGER_RULES, RECORD_RULES } from './findings.ts';
import type { CaseBrief, CaseFile, Claim, Finding, VerdictId } from './records.ts';

/** A named rule procedure that fills a seat. */
interface Procedure {
  readonly model: string;
  readonly role: string;
  decide(file: CaseFile): Decision;
}
interface Decision {
  readonly verdict: VerdictId;
  readonly rules: readonly Finding[];
  readonly why: string;
}

/** The procedures, in the order in which seats are filled. */
export const PROCEDURES: readonly Procedure[] = [
  {
    model: 'rule:ledger.v1',
    role: 'ledger',
    decide: (file) => decideByRules(file, LEDGER_RULES, 'by the ledger alone'),
  },
  {
    model: 'rule:record.v1',
    role: 'record',
    decide: (file) =>
      decideByRules(file, [...LEDGER_RULES, ...RECORD_RULES], 'by ledger and record'),
  },
  { model: 'rule:burden.v1', role: 'burden', decide: decideByBurden },
];

/** Judges by the seat's procedure. Both passes of one procedure give the same result. */
export function judgeByRules(order: TurnOrder, { brief }: PromptInput<CaseBrief>): SeatAnswer {
  const procedure = PROCEDURES.find(({ model }) => model === order.seat.model);
  invariant(procedure !== undefined && brief.file !== null, 'a rule seat judges a frozen case');
  const { verdict, rules, why } = procedure.decide(brief.file);
  const findingTexts = rules.map(({ rule_id, text }) => `${rule_id}: ${text}.`);
  return {
    position: verdict,
    argument: `${why}. ${findingTexts.join(' ')}`.slice(0, ARGUMENT_CHARS_MAX),
    confidence: 1,
    ...(order.phase === BALLOT_PHASE ? { ranking: [verdict] } : {}),
    evidenceIds: brief.file.ledger.map(({ evidence_id }) => evidence_id),
    changeReason: null,
  };
}

/**
 * Decides by rules. A buyer needs one favourable rule. A provider needs a delivery and no rule for
 * the buyer. A concession (ARB-05) takes precedence if it is among the rules.
 */
function decideByRules(file: CaseFile, ruleIds: readonly string[], why: string): Decision {
  const rules = file.findings.filter(({ rule_id }) => ruleIds.includes(rule_id));
  const concession = rules.find(
    ({ rule_id, favours }) => rule_id === 'ARB-05' && favours !== 'nobody',
  );
  if (concession !== undefined) {
    const verdict = concession.favours === file.claimant_role ? 'overturned' : 'upheld';
    return { verdict, rules: [concession], why };
  }
  const forBuyer = rules.filter(({ favours }) => favours === 'buyer');
  const forProvider = rules.filter(({ favours }) => favours === 'provider');
  const isForBuyer = forBuyer.length > 0;
  const isReversed = file.claimant_role === 'buyer' ? isForBuyer : !isForBuyer;
  const verdict = isReversed ? 'overturned' : 'upheld';
  return { verdict, rules: isForBuyer ? forBuyer : forProvider, why };
}

const CLAIMED_FACTS: Readonly<Record<string, readonly Claim['fact'][]>> = {
  'ARB-01': ['delivered', 'delivered_in_time'],
  'ARB-02': ['delivered_in_time'],
  'ARB-03': ['deliverable_sha256'],
  'ARB-04': ['agreed_sha256'],
};

/** Requires that the claimant claimed a point that ledger or record supports. */
function decideByBurden(file: CaseFile): Decision {
  const items = file.items.filter((item) => item.side === 'claimant' && item.is_admitted);
  const isClaimed = ({ rule_id }: Finding): boolean => {
    const facts = CLAIMED_FACTS[rule_id] ?? [];
    return items.some(({ claims, contradicted }) =>
      claims.some(
        ({ fact }) => facts.includes(fact) && !contradicted.some((one) => one.fact === fact),
      ),
    );
  };
  const concessions = file.findings.filter(({ rule_id }) => rule_id === 'ARB-05');
  const points = file.findings.filter(
    (finding) => finding.favours === file.claimant_role && isClaimed(finding),
  );
  const admitted = concessions.find(({ favours }) => favours === file.claimant_role);
  const withdrawn = concessions.find(({ favours }) => favours !== file.claimant_role);
  const isProven =
    decideByRules(file, [...LEDGER_RULES, ...RECORD_RULES], '').verdict === 'overturned';
  const why = 'by the burden of the claimant';
  if (admitted !== undefined) return { verdict: 'overturned', rules: [admitted], why };
  if (withdrawn !== undefined && withdrawn.favours !== 'nobody') {
    return { verdict: 'upheld', rules: [withdrawn], why };
  }
  return isProven && points.length > 0
    ? { verdict: 'overturned', rules: points, why }
    : { verdict: 'upheld', rules: [], why: `${why}: no claimed point is borne out` };
}
