import { z } from 'zod';
import type { Services } from '../../actors/common/services.ts';
import { checkProcess, PROCESS_LIMITS, ProcessClaim } from '../../domain/attestation/process.ts';
import {
  KnownAgent,
  ProofPointer,
  SignedStatementShape,
  StatementBasis,
} from '../../domain/attestation/records.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { RECORD_HINTS } from '../service/annotations.ts';
import {
  classifyAgentFacts,
  formatBasis,
  formatNow,
  getPayer,
  lookUpAgent,
  signAnswer,
} from './attest.ts';

const Payload = z.object({
  attested_at: z.string(),
  performer: KnownAgent,
  claim: ProcessClaim,
  findings: z.object({
    is_complete: z.boolean(),
    missing_steps: z.array(z.string()),
    is_in_order: z.boolean(),
    steps_without_evidence: z.int(),
    is_in_the_past: z.boolean(),
    steps_root: z.string(),
  }),
  attests: z.string(),
  does_not_attest: z.string(),
  basis: StatementBasis,
  requested_by: z.string(),
});
const Output = z.object({
  payload: Payload,
  statement: SignedStatementShape,
  proof: ProofPointer,
});

const ATTESTS =
  'The caller showed this claim, with these hashes, at this time. The findings describe the claim.';
const DOES_NOT =
  'Not attested: that the steps took place. The service has not seen the evidence behind the ' +
  'hashes.';
const PRICE_USD = '0.25';
const DESCRIPTION = [
  'Get a signed statement on a process that you report as followed. It holds the steps in order,',
  'evidence hashes, the claimant, and findings on the claim (missing steps, order, evidence). A',
  'later change of content or time is detectable. To seal one deliverable use',
  'attestation_single-use-seal, to notarize an audit security_audit-attestation. The service',
  'attests what it received and when. It does not see the evidence and does not confirm that the',
  `steps took place. Up to ${PROCESS_LIMITS.stepsMax} steps. $${PRICE_USD} per call. You are not`,
  'charged if the call returns an error.',
].join(' ');

/** Creates the tool `security_process-attestation`. */
export function processAttestationTool(
  deps: Pick<Services, 'clock' | 'passports' | 'trust'>,
): Tool<z.infer<typeof ProcessClaim>> {
  return {
    server: 'commerce',
    name: 'security_process-attestation',
    title: 'Process attestation',
    description: DESCRIPTION,
    summary:
      'Get a signed, dated statement on a process that you report as followed; it does ' +
      'not confirm the steps. To seal one deliverable use attestation_single-use-seal. ' +
      'No charge on error.',
    example: {
      process: { name: 'release', required_steps: ['review', 'test'] },
      performed_by: 'atlas',
      steps: [{ name: 'review' }, { name: 'test' }],
    },
    annotations: RECORD_HINTS,
    input: ProcessClaim,
    output: Output,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    run: (input, context) => run(deps, input, context),
  };
}

async function run(
  deps: Pick<Services, 'clock' | 'passports' | 'trust'>,
  claim: ProcessClaim,
  context: ToolContext,
): Promise<ToolResult> {
  const payer = getPayer(context);
  const performer = await lookUpAgent(deps.passports, claim.performed_by, payer);
  const { verified, claimed } = classifyAgentFacts('performer', performer);
  const steps = 'that the steps were done, at these times and with this evidence';
  const basis = { payer, verified, claimed: [...claimed, steps] };
  const attested_at = formatNow(deps.clock);
  const findings = checkProcess(claim, Date.parse(attested_at));
  const word = findings.is_complete ? 'no required step is missing' : 'steps are missing';
  return signAnswer(deps, context, {
    kind: 'process_attestation',
    payload: JSON.parse(
      JSON.stringify({
        attested_at,
        performer,
        claim,
        findings,
        attests: ATTESTS,
        does_not_attest: DOES_NOT,
        basis,
      }),
    ),
    headline: `Attested: ${claim.steps.length} steps of ${claim.process.name} were shown; ${word}.`,
    why: formatBasis(basis),
    lines: [
      performer.registered
        ? `Claimed of ${performer.agent_id}.`
        : `${performer.as_given} is not registered here.`,
      DOES_NOT,
    ],
  });
}
