import { z } from 'zod';
import { AgentSubject } from '../attestation/records.ts';
import { ADVANCED } from '../tool/advanced.ts';
import { REQUIREMENTS } from './requirements.ts';

/** Maximum number of evidence items per posture. */
export const EVIDENCE_MAX = 20;
const DEFINITIONS_MAX = 200;
const NOTE_CHARS_MAX = 1_000;
const AGE_DAYS_MAX = 365;

const EvidenceId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,40}$/)
  .describe('Your id of this evidence, for claims.');
const Signed = z.looseObject({
  payload: z.record(z.string(), z.unknown()).describe('What was signed.'),
  statement: z.record(z.string(), z.unknown()).describe('The signature.'),
});

/** One item of evidence. Code verifies each; none is taken on trust. */
export const PostureEvidence = z.discriminatedUnion('kind', [
  z.strictObject({
    id: EvidenceId,
    kind: z.literal('audit').describe('A signed audit published by this service.'),
    audit_id: z
      .string()
      .regex(/^aud_[0-9a-f]{32}$/)
      .describe('Id of the audit.'),
  }),
  z.strictObject({
    id: EvidenceId,
    kind: z
      .literal('file')
      .describe('A complete signed answer: audit report, badge or process attestation.'),
    file: Signed.describe('The answer.'),
  }),
  z.strictObject({
    id: EvidenceId,
    kind: z.literal('manifest').describe('Tool definitions stated by the counterparty.'),
    audit: EvidenceId.describe('Id of the audit evidence whose pins they are compared with.'),
    tools: z
      .array(z.looseObject({ name: z.string().max(200).describe('Name.') }))
      .max(DEFINITIONS_MAX)
      .describe('The definitions.'),
  }),
  z.strictObject({
    id: EvidenceId,
    kind: z
      .literal('passport')
      .describe('Registry entry of the agent given as counterparty.agent.'),
  }),
  z.strictObject({
    id: EvidenceId,
    kind: z.literal('proof').describe('A proof file of the public log for the agent.'),
    file: z.record(z.string(), z.unknown()).describe('The proof file.'),
  }),
]);
/** A parsed {@link PostureEvidence}. */
export type PostureEvidence = z.infer<typeof PostureEvidence>;

/** A counterparty's claim about one requirement. */
export const PostureClaim = z.strictObject({
  requirement: z
    .enum(REQUIREMENTS.map(({ id }) => id) as [string, ...string[]])
    .describe('Requirement, ASI01.1 to ASI10.3.'),
  claim: z
    .enum(['met', 'partly', 'unmet', 'not_applicable'])
    .describe('What the counterparty claims.'),
  evidence: z.array(EvidenceId).max(EVIDENCE_MAX).default([]).describe('Ids of its evidence.'),
  note: z.string().max(NOTE_CHARS_MAX).optional().describe('A note.'),
});
/** A parsed {@link PostureClaim}. */
export type PostureClaim = z.infer<typeof PostureClaim>;

/** A stated security posture. */
export const Posture = z.strictObject({
  counterparty: z
    .strictObject({
      origin: z
        .url({ protocol: /^https?$/ })
        .max(300)
        .describe('Origin of its endpoint, such as https://agent.example.'),
      agent: AgentSubject.optional().describe('Its agent name, ERC-8004 id or wallet.'),
    })
    .describe('Who is checked.'),
  claims: z
    .array(PostureClaim)
    .min(1)
    .max(REQUIREMENTS.length)
    .describe('One claim per requirement.'),
  evidence: z.array(PostureEvidence).max(EVIDENCE_MAX).default([]).describe('The evidence.'),
  max_age_days: z
    .int()
    .min(1)
    .max(AGE_DAYS_MAX)
    .default(90)
    .describe('Maximum age of audits and attestations, in days.')
    .meta(ADVANCED),
});
/** A parsed {@link Posture}. */
export type Posture = z.infer<typeof Posture>;

/** Returns why a posture cannot be checked, before charging, or `undefined` if it can. */
export function findPostureError({ claims, evidence }: Posture): string | undefined {
  const ids = evidence.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return 'an evidence id is duplicated';
  const names = claims.map(({ requirement }) => requirement);
  if (new Set(names).size !== names.length) return 'a requirement has more than one claim';
  const pointed = [
    ...claims.flatMap((one) => one.evidence),
    ...evidence.flatMap((one) => (one.kind === 'manifest' ? [one.audit] : [])),
  ];
  const missing = pointed.find((id) => !ids.includes(id));
  return missing === undefined ? undefined : `no evidence has the id ${missing}`;
}
