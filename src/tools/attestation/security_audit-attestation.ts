import { z } from 'zod';
import {
  AgentSubject,
  Basis,
  KnownAgent,
  ProofPointer,
  Sha256,
  SignedStatementShape,
} from '../../domain/attestation/records.ts';
import { microUsd, toText } from '../../domain/common/money.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import type { Tool, ToolContext, ToolResult } from '../../domain/tool/tool.ts';
import { RECORDS } from '../service/annotations.ts';
import {
  type AttestDeps,
  agentFacts,
  basisLine,
  instantOf,
  lookUpAgent,
  payerOf,
  refusedInput,
  signedAnswer,
} from './attest.ts';

const FINDINGS_MAX = 100_000;
const Count = z.int().min(0).max(FINDINGS_MAX);
const Input = z.strictObject({
  audited: AgentSubject.describe('Who was audited: agent name, ERC-8004 id or wallet.'),
  auditor: AgentSubject.describe('Who audited: agent name, ERC-8004 id or wallet, or a word.'),
  framework: z.string().max(200).optional().describe('Such as OWASP ASI01-ASI10.'),
  model: z.string().max(200).optional().describe('The model or program that audited.'),
  performed_at: z.iso.datetime().describe('When the audit ended, RFC 3339 in UTC.'),
  result_sha256: Sha256.describe('SHA-256 of the whole result. Keep the result yourself.'),
  verdict: z.enum(['pass', 'fail', 'mixed', 'none']),
  findings: z.strictObject({ critical: Count, high: Count, medium: Count, low: Count }).optional(),
  summary: z.string().min(1).max(4_000),
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
    basis: Basis,
    requested_by: z.string(),
  }),
  statement: SignedStatementShape,
  proof: ProofPointer,
});

const ATTESTS =
  'That this result, by hash and summary, was shown to the service at this time and unchanged ' +
  'since.';
const DOES_NOT =
  'Not attested: that the audit took place, that it was sound, or that its result is true. The ' +
  'service did not run it and has not seen the result behind the hash.';
const DESCRIPTION = [
  'Notarizes the result of an AI audit that somebody else ran: by hash and summary, with who',
  'audited whom, verdict and counts, signed and dated, with a proof in the public log. Neutral:',
  'the service attests, it does not run the audit. It says whether both sides are registered here,',
  'and whether the auditor audited itself.',
].join(' ');

/** The tool that notarizes the result of an audit that others ran. */
export function auditAttestationTool(deps: AttestDeps): Tool<Input> {
  return {
    server: 'commerce',
    name: 'security_audit-attestation',
    title: 'Notarization of an audit result',
    description: DESCRIPTION,
    annotations: RECORDS,
    input: Input,
    output: Output,
    price: { amount: toText(microUsd('0.50')), flow: 'authorization' },
    ready: (input) => {
      refuseFuture(input, deps.clock.now());
      return undefined;
    },
    run: (input, context) => run(deps, input, context),
  };
}

/** Clocks differ; an audit of next week does not. */
function refuseFuture({ performed_at }: Input, now: number): void {
  if (Date.parse(performed_at) <= now + DAY_MS) return;
  const latest = new Date(now + DAY_MS).toISOString();
  throw refusedInput('performed_at lies in the future.', performed_at, `at most ${latest}`);
}

async function run(deps: AttestDeps, audit: Input, context: ToolContext): Promise<ToolResult> {
  const payer = payerOf(context);
  const audited = await lookUpAgent(deps.passports, audit.audited, payer);
  const auditor = await lookUpAgent(deps.passports, audit.auditor, payer);
  const sides = [agentFacts('audited agent', audited), agentFacts('auditor', auditor)];
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
  return signedAnswer(deps, context, {
    kind: 'audit_attestation',
    payload: JSON.parse(
      JSON.stringify({
        ...{ attested_at: instantOf(deps.clock), audit, audited, auditor, is_self_audit },
        ...{ attests: ATTESTS, does_not_attest: DOES_NOT, basis },
      }),
    ),
    headline:
      `Notarized: a claimed audit result, SHA-256 ${audit.result_sha256.slice(0, 16)}…, ` +
      `claimed verdict ${audit.verdict}.`,
    lines: [...(is_self_audit ? ['The auditor audited itself.'] : []), basisLine(basis), DOES_NOT],
  });
}
