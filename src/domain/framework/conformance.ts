import { z } from 'zod';
import { AsiCategory } from '../audit/records.ts';
import type { CheckedEvidence } from './evidence.ts';
import type { Posture, PostureClaim } from './posture.ts';
import {
  computeFrameworkHash,
  FRAMEWORK_VERSION,
  REQUIREMENTS,
  type Requirement,
} from './requirements.ts';
import { weighEvidence } from './weigh.ts';

/** Verdict that the evidence supports for a requirement. */
export const Verdict = z.enum(['met', 'partly', 'unmet', 'not_shown']);
/** One of the {@link Verdict} values. */
export type Verdict = z.infer<typeof Verdict>;

/** A requirement with the claim, the evidence and the resulting verdict. */
export const RequirementVerdict = z.object({
  requirement: z.string(),
  category: AsiCategory,
  text: z.string(),
  /** `none` if no claim was made. */
  claim: z.enum(['met', 'partly', 'unmet', 'not_applicable', 'none']),
  verdict: Verdict,
  /** True if the evidence supports at least the claim. */
  is_claim_shown: z.boolean(),
  reason: z.string(),
  evidence: z.array(
    z.object({
      id: z.string(),
      says: z.enum(['met', 'partly', 'unmet', 'nothing']),
      reason: z.string(),
    }),
  ),
});
/** A parsed {@link RequirementVerdict}. */
export type RequirementVerdict = z.infer<typeof RequirementVerdict>;

/** Conformance of a security posture with the framework. */
export const Conformance = z.object({
  framework: z.object({ name: z.string(), version: z.int(), sha256: z.string() }),
  requirements: z.array(RequirementVerdict),
  counts: z.object({
    met: z.int(),
    partly: z.int(),
    unmet: z.int(),
    not_shown: z.int(),
    all: z.int(),
  }),
  claims: z.object({ made: z.int(), shown: z.int() }),
});
/** A parsed {@link Conformance}. */
export type Conformance = z.infer<typeof Conformance>;

const FRAMEWORK_NAME = 'OWASP ASI01-ASI10, as this service reads it';

/**
 * Checks a posture against every requirement. Deterministic for the same posture and evidence. A
 * claim without valid evidence is `not_shown`.
 */
export function checkConformance(
  { claims }: Pick<Posture, 'claims'>,
  evidence: ReadonlyMap<string, CheckedEvidence>,
): Conformance {
  const requirements = REQUIREMENTS.map((requirement) => {
    const claim = claims.find((one) => one.requirement === requirement.id);
    return checkRequirement(requirement, claim, evidence);
  });
  const count = (verdict: Verdict) => requirements.filter((one) => one.verdict === verdict).length;
  const made = requirements.filter(({ claim }) => claim !== 'none');
  return {
    framework: { name: FRAMEWORK_NAME, version: FRAMEWORK_VERSION, sha256: computeFrameworkHash() },
    requirements,
    counts: {
      met: count('met'),
      partly: count('partly'),
      unmet: count('unmet'),
      not_shown: count('not_shown'),
      all: requirements.length,
    },
    claims: { made: made.length, shown: made.filter((one) => one.is_claim_shown).length },
  };
}

function checkRequirement(
  { id, category, text, rule }: Requirement,
  claim: PostureClaim | undefined,
  evidence: ReadonlyMap<string, CheckedEvidence>,
): RequirementVerdict {
  const facts = { requirement: id, category, text };
  if (claim === undefined) {
    const reason = 'No claim was made.';
    return { ...facts, claim: 'none', ...createNotShown(reason, []) };
  }
  const weighed = claim.evidence.flatMap((name) => {
    const one = evidence.get(name);
    return one === undefined ? [] : [{ id: name, ...weighEvidence(rule, one) }];
  });
  const stated = { ...facts, claim: claim.claim };
  if (claim.claim === 'unmet') {
    const reason = 'The counterparty states this itself.';
    return { ...stated, verdict: 'unmet', is_claim_shown: true, reason, evidence: weighed };
  }
  // Evidence against a claim takes precedence over evidence for it.
  const decisive = PRECEDENCE.map((says) => weighed.find((one) => one.says === says)).find(
    isDefined,
  );
  if (decisive === undefined)
    return { ...stated, ...createNotShown(describeMissing(weighed), weighed) };
  const verdict = Verdict.parse(decisive.says);
  return {
    ...stated,
    verdict,
    is_claim_shown: isClaimSupported(claim.claim, verdict),
    reason: `${decisive.id}: ${decisive.reason}`,
    evidence: weighed,
  };
}

const PRECEDENCE = ['unmet', 'met', 'partly'] as const;

function isDefined<T>(one: T | undefined): one is T {
  return one !== undefined;
}

function createNotShown(reason: string, evidence: RequirementVerdict['evidence']) {
  return { verdict: 'not_shown' as const, is_claim_shown: false, reason, evidence };
}

function describeMissing(weighed: RequirementVerdict['evidence']): string {
  const [first] = weighed;
  return first === undefined
    ? 'The claim has no evidence.'
    : `The evidence does not support the claim. ${first.id}: ${first.reason}`;
}

function isClaimSupported(claim: PostureClaim['claim'], verdict: Verdict): boolean {
  if (claim === 'met') return verdict === 'met';
  return claim === 'partly' && (verdict === 'met' || verdict === 'partly');
}
