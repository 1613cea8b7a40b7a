import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import {
  AgentSubject,
  KnownAgent,
  ProofPointer,
  Sha256,
  SignedStatementShape,
  StatementBasis,
} from '../../domain/attestation/records.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { RECORD_HINTS } from '../service/annotations.ts';
import {
  classifyAgentFacts,
  formatBasis,
  formatNow,
  getPayer,
  inputRuleError,
  lookUpAgent,
  signAnswer,
} from './attest.ts';

const FINDINGS_MAX = 100_000;
const Count = z.int().min(0).max(FINDINGS_MAX);
const Input = z.strictObject({
  audited: AgentSubject.describe('Audited agent: name, ERC-8004 id or wallet.'),
  auditor: AgentSubject.describe('Auditor: agent name, ERC-8004 id, wallet, or any other name.'),
  framework: z.string().max(200).optional().describe('Framework, such as OWASP ASI01-ASI10.'),
  model: z.string().max(200).optional().describe('Model or program that performed the audit.'),
  performed_at: z.iso.datetime().describe('End of the audit, RFC 3339 in UTC.'),
  result_sha256: Sha256.describe('SHA-256 of the complete result. Keep the result yourself.'),
  verdict: z.enum(['pass', 'fail', 'mixed', 'none']).describe('Claimed verdict of the audit.'),
  findings: z
    .strictObject({
      critical: Count.describe('Critical ones.'),
      high: Count.describe('High ones.'),
      medium: Count.describe('Medium ones.'),
      low: Count.describe('Low ones.'),
    })
    .optional()
    .describe('Claimed number of findings by severity.'),
  summary: z
    .string()
    .min(1)
    .max(4_000)
    .describe('Summary of the result; part of the signed statement.'),
});
type Input = z.infer<typeof Input>;

const Output = z.object({
  payload: z.object({
    attested_at: z.string(),
    audit: Input,
    audited: KnownAgent,
    auditor: KnownAgent,
    is_self_audit: z.boolean(),
    attests: z.string(),
    does_not_attest: z.string(),
    basis: StatementBasis,
    requested_by: z.string(),
  }),
  statement: SignedStatementShape,
  proof: ProofPointer,
});

const ATTESTS =
  'The service was shown this result, by hash and summary, at this time. It has not changed ' +
  'since.';
const DOES_NOT =
  'Not attested: that the audit took place, that it was sound, or that its result is true. The ' +
  'service did not run it and has not seen the result behind the hash.';
const PRICE_USD = '0.50';
const DESCRIPTION = [
  'Notarize the result of an AI audit that someone else ran. Signs and dates its hash and summary,',
  'who audited whom, the verdict and the counts, with a proof in the public log. The service is',
  'neutral: it attests, it does not run the audit. Use it to prove when a result existed; to have',
  'a target audited use security_framework-audit or security_enterprise-audit. The statement says',
  'whether both sides are registered here and whether the auditor audited itself. It does not',
  `attest that the audit took place or that its result is true. $${PRICE_USD} per call. You are`,
  'not charged if the call returns an error.',
].join(' ');

/** Creates the tool `security_audit-attestation`. */
export function auditAttestationTool(
  deps: Pick<Services, 'clock' | 'passports' | 'trust'>,
): Tool<Input> {
  return {
    server: 'commerce',
    name: 'security_audit-attestation',
    title: 'Notarization of an audit result',
    description: DESCRIPTION,
    summary:
      'Notarize the result of an audit that someone else ran; its truth is not attested. ' +
      'To have a target audited use security_framework-audit. No charge on error.',
    example: {
      audited: 'atlas',
      auditor: 'argus',
      performed_at: '2026-01-31T12:00:00Z',
      result_sha256: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      verdict: 'pass',
      summary: 'Nothing critical.',
    },
    annotations: RECORD_HINTS,
    input: Input,
    output: Output,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (input) => {
      rejectFuture(input, deps.clock.now());
      return undefined;
    },
    run: (input, context) => run(deps, input, context),
  };
}

/** Rejects an audit dated in the future; one day of clock difference is tolerated. */
function rejectFuture({ performed_at }: Input, now: number): void {
  if (Date.parse(performed_at) <= now + DAY_MS) return;
  const latest = new Date(now + DAY_MS).toISOString();
  throw inputRuleError('`performed_at` is in the future.', performed_at, `at most ${latest}`);
}

async function run(
  deps: Pick<Services, 'clock' | 'passports' | 'trust'>,
  audit: Input,
  context: ToolContext,
): Promise<ToolResult> {
  const payer = getPayer(context);
  const audited = await lookUpAgent(deps.passports, audit.audited, payer);
  const auditor = await lookUpAgent(deps.passports, audit.auditor, payer);
  const sides = [
    classifyAgentFacts('audited agent', audited),
    classifyAgentFacts('auditor', auditor),
  ];
  const basis = {
    payer,
    verified: sides.flatMap(({ verified }) => verified),
    claimed: [
      ...sides.flatMap(({ claimed }) => claimed),
      'that the audit took place, with this verdict and these findings',
    ],
  };
  const isSame = audit.audited.toLowerCase() === audit.auditor.toLowerCase();
  const is_self_audit =
    isSame || (audited.agent_id !== null && audited.agent_id === auditor.agent_id);
  return signAnswer(deps, context, {
    kind: 'audit_attestation',
    payload: JSON.parse(
      JSON.stringify({
        attested_at: formatNow(deps.clock),
        audit,
        audited,
        auditor,
        is_self_audit,
        attests: ATTESTS,
        does_not_attest: DOES_NOT,
        basis,
      }),
    ),
    headline:
      `Notarized: a claimed audit result, SHA-256 ${audit.result_sha256.slice(0, 16)}…, ` +
      `claimed verdict ${audit.verdict}.`,
    why: formatBasis(basis),
    lines: [...(is_self_audit ? ['The auditor audited itself.'] : []), DOES_NOT],
  });
}
