import { z } from 'zod';
import { ProofPointer, SignedStatementShape } from '../../domain/attestation/records.ts';
import { hashJson } from '../../domain/common/hash.ts';
import type { JsonObject } from '../../domain/common/json.ts';
import { formatMicroUsd, parseUsd } from '../../domain/common/money.ts';
import { DAY_MS } from '../../domain/common/time.ts';
import { Conformance, checkConformance } from '../../domain/framework/conformance.ts';
import type { CheckedEvidence } from '../../domain/framework/evidence.ts';
import { EVIDENCE_MAX, findPostureError, Posture } from '../../domain/framework/posture.ts';
import {
  computeFrameworkHash,
  FRAMEWORK_VERSION,
  REQUIREMENTS,
} from '../../domain/framework/requirements.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';
import { formatNow, inputRuleError, signAnswer } from '../attestation/attest.ts';
import { checkEvidence, type EvidenceServices } from '../reputation/check-evidence.ts';
import { findLinkedAgent } from '../reputation/linked-agent.ts';
import { READ_ONLY_HINTS } from '../service/annotations.ts';
import { getIssuer } from '../service/signed-file.ts';

const Payload = z.object({
  checked_at: z.string(),
  counterparty: z.object({
    origin: z.string(),
    agent_as_given: z.string().nullable(),
    agent_id: z.string().nullable(),
  }),
  posture_sha256: z.string(),
  conformance: Conformance,
  evidence: z.array(
    z.object({ id: z.string(), holds: z.boolean(), is: z.string(), says: z.string() }),
  ),
  max_age_days: z.int(),
  does_not_say: z.string(),
  requested_by: z.string(),
});
const Output = z.object({
  payload: Payload,
  statement: SignedStatementShape,
  proof: ProofPointer,
});

const DOES_NOT_SAY =
  'Not stated: that the counterparty is secure. "met" means that valid evidence shows this ' +
  'requirement at the time of the evidence. The counterparty was not tested for this answer.';
const PRICE_USD = '0.50';
const DESCRIPTION = [
  `Check the stated security posture of a counterparty against the ${REQUIREMENTS.length}`,
  `requirements of a framework over ASI01 to ASI10 (version ${FRAMEWORK_VERSION}). Each claim`,
  'points to evidence, and code checks each piece. Evidence: signed audit and injection reports,',
  'definitions against audit pins, the passport and its delegations, proofs of the public log,',
  'badges, process attestations. Returns met, partly, unmet or not_shown per requirement, with',
  'the reason; a claim without valid evidence is never met. The same input gives the same',
  `verdicts. Up to ${EVIDENCE_MAX} pieces. The answer is signed, with a proof. To test a live`,
  `target use security_framework-audit. $${PRICE_USD} per call. You are not charged if the call`,
  'returns an error.',
].join(' ');

/** Creates the tool `security_framework-conformance`. */
export function frameworkConformanceTool(deps: EvidenceServices): Tool<Posture> {
  return {
    server: 'commerce',
    name: 'security_framework-conformance',
    title: 'Security framework conformance check',
    description: DESCRIPTION,
    summary:
      'Check a counterparty’s claims against 21 requirements over ASI01 to ASI10 by the ' +
      'evidence you attach. To test a live target use security_framework-audit. No ' +
      'charge on error.',
    example: {
      counterparty: { origin: 'https://agent.example' },
      claims: [{ requirement: 'ASI01.1', claim: 'met', evidence: ['e1'] }],
      evidence: [{ id: 'e1', kind: 'audit', audit_id: 'aud_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }],
    },
    annotations: READ_ONLY_HINTS,
    input: Posture,
    output: Output,
    price: { amount: formatMicroUsd(parseUsd(PRICE_USD)), flow: 'authorization' },
    checkReady: (posture) => {
      rejectInvalidPosture(posture);
      const requirements = REQUIREMENTS.length;
      return {
        framework_version: FRAMEWORK_VERSION,
        framework_sha256: computeFrameworkHash(),
        requirements,
      };
    },
    run: (posture, context) => run(deps, posture, context),
  };
}

function rejectInvalidPosture(posture: Posture): void {
  const fault = findPostureError(posture);
  if (fault === undefined) return;
  throw inputRuleError(
    `The posture cannot be checked: ${fault}.`,
    posture.evidence.map(({ id }) => id),
    'each requirement once, each evidence id once, and only ids that exist',
  );
}

async function run(
  deps: EvidenceServices,
  posture: Posture,
  context: ToolContext,
): Promise<ToolResult> {
  const { clock, trust } = deps;
  const { counterparty, max_age_days } = posture;
  const { agent } = counterparty;
  const origin = new URL(counterparty.origin).origin;
  const linked = await findLinkedAgent(deps, agent, origin);
  const scope = {
    issuer: getIssuer(trust, clock),
    origin,
    agent: linked,
    now: clock.now(),
    maxAgeMs: max_age_days * DAY_MS,
  };
  const checked = await checkEvidence(deps, posture, scope);
  const conformance = checkConformance(posture, checked);
  const payload = {
    checked_at: formatNow(clock),
    counterparty: {
      origin,
      agent_as_given: agent ?? null,
      agent_id: linked.passport?.agent_id ?? null,
    },
    posture_sha256: hashJson(posture),
    conformance,
    evidence: [...checked].map(([id, one]) => ({ id, ...describeEvidence(one) })),
    max_age_days,
    does_not_say: DOES_NOT_SAY,
  };
  const { met, partly, unmet, not_shown, all } = conformance.counts;
  return signAnswer(deps, context, {
    kind: 'framework_conformance',
    payload: JSON.parse(JSON.stringify(payload)) as JsonObject,
    headline:
      `${origin}: ${met} of ${all} requirements met, ${partly} partly, ${unmet} unmet, ` +
      `${not_shown} not shown.`,
    why:
      `${checked.size} pieces of evidence were checked against the claims of the posture; ` +
      'a claim without evidence is not shown.',
    lines: [
      ...conformance.requirements.map(
        (one) => `${one.requirement} ${one.verdict} (claimed ${one.claim}): ${one.reason}`,
      ),
      DOES_NOT_SAY,
    ],
  });
}

function describeEvidence(one: CheckedEvidence) {
  switch (one.kind) {
    case 'invalid':
      return { holds: false, is: one.kind, says: one.reason };
    case 'audit': {
      const { audit_id, plan, ended_at, root } = one.report;
      return {
        holds: true,
        is: one.kind,
        says: `${plan} ${audit_id} of ${ended_at}, root ${root}`,
      };
    }
    case 'manifest':
      return { holds: true, is: one.kind, says: `${one.differing.length} differ` };
    case 'passport':
      return {
        holds: true,
        is: one.kind,
        says: `${one.passport.agent_id}, ${one.passport.status}`,
      };
    case 'proof':
      return { holds: true, is: one.kind, says: `kind ${one.proofKind}, ${one.ref}` };
    case 'badge':
      return { holds: true, is: one.kind, says: `stated ${one.badge}, earned now ${one.earned}` };
    case 'process':
      return { holds: true, is: one.kind, says: `${one.name}, ${one.isWhole ? 'whole' : 'gaps'}` };
  }
}
