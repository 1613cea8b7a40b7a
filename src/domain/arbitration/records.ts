import { z } from 'zod';
import type { PanelOption } from '../panel/definition.ts';

/** Limits for evidence, equal for both sides. */
export const EVIDENCE_LIMITS = {
  itemsMax: 12,
  textCharsMax: 8_000,
  sideCharsMax: 24_000,
  claimsMax: 8,
  claimCharsMax: 200,
  namesMax: 5,
  nameCharsMin: 3,
  nameCharsMax: 60,
  /** Length of the evidence window in seconds. */
  windowSMin: 60,
  windowSMax: 5 * 86_400,
  /** Minimum window if the verdict may move money, so that both sides can respond. */
  escrowWindowSMin: 86_400,
  /** Seconds reserved for the verdict between the end of such a window and the escrow's timeout. */
  escrowMarginS: 2 * 3_600,
} as const;
/** Allowed seat counts; odd, so that only an abstention can cause a tie. */
export const ARBITER_SEATS = [3, 5, 7] as const;

/** Effect of a verdict. */
export const VerdictEffect = z.enum(['decides_escrow', 'evidence_only']);
/** One of the {@link VerdictEffect} values. */
export type VerdictEffect = z.infer<typeof VerdictEffect>;

/** The two sides. The claimant wants the settlement reversed and carries the burden of proof. */
export const Side = z.enum(['claimant', 'respondent']);
/** One of the two sides. */
export type Side = z.infer<typeof Side>;
/** Role of a side in the job. */
export const JobRole = z.enum(['buyer', 'provider']);
/** One of the two roles in a job. */
export type JobRole = z.infer<typeof JobRole>;

/** Subject of a claim. The ledger knows the first three; only the parties know the others. */
export const ClaimFact = z.enum([
  'delivered',
  'delivered_in_time',
  'deliverable_sha256',
  'agreed_sha256',
  'claim_admitted',
  'claim_withdrawn',
]);
const Claim = z.strictObject({
  fact: ClaimFact,
  /** `true`, `false` or a hash in hex. */
  value: z.string().trim().min(1).max(EVIDENCE_LIMITS.claimCharsMax),
});
/** A claim in a form that code can compare. */
export type Claim = z.infer<typeof Claim>;

/** One item of evidence as a party submits it. */
export const SubmittedEvidence = z.strictObject({
  text: z.string().trim().min(1).max(EVIDENCE_LIMITS.textCharsMax),
  claims: z.array(Claim).max(EVIDENCE_LIMITS.claimsMax).default([]),
});
/** A parsed {@link SubmittedEvidence}. */
export type SubmittedEvidence = z.infer<typeof SubmittedEvidence>;

/** One item of evidence as stored in the case; its text is referenced by hash. */
export const EvidenceRow = z.object({
  /** `C1…` for the claimant, `R1…` for the respondent. */
  evidenceId: z.string(),
  side: Side,
  /** SHA-256 over the canonical JSON of the submission. */
  sha: z.string(),
  chars: z.int(),
  /** Milliseconds. */
  at: z.int(),
});
/** A parsed {@link EvidenceRow}. */
export type EvidenceRow = z.infer<typeof EvidenceRow>;

/** Facts about a job in the ledger. Times are Unix seconds. */
export const LedgerFacts = z.object({
  boardJobId: z.string(),
  state: z.string(),
  funding: z.string(),
  priceMicroUsd: z.string(),
  fulfilByS: z.int(),
  deliveredAtS: z.int().nullable(),
  /** Hash recorded in the ledger. */
  deliverableSha: z.string().nullable(),
  /** Hash of the bytes submitted to this server. */
  heldSha: z.string().nullable(),
  disputedAtS: z.int().nullable(),
  reason: z.string().nullable(),
  isPaid: z.boolean(),
  transactions: z.array(z.string()),
});
/** A parsed {@link LedgerFacts}. */
export type LedgerFacts = z.infer<typeof LedgerFacts>;

/** The parties to a case, with their names. */
export const Parties = z.object({
  boardJobId: z.string(),
  claimantRole: JobRole,
  claimant: z.string(),
  respondent: z.string(),
  /** Additional names of each side, replaced in that side's own texts. */
  names: z.object({ claimant: z.array(z.string()), respondent: z.array(z.string()) }),
});
/** A parsed {@link Parties}. */
export type Parties = z.infer<typeof Parties>;

/** State of a side during the evidence window. */
export const SideState = z.enum(['awaiting', 'submitted', 'finished', 'waived', 'defaulted']);
/** One of the {@link SideState} values. */
export type SideState = z.infer<typeof SideState>;
const SideStates = z.object({ claimant: SideState, respondent: SideState });

/** Returns whether both sides submitted evidence or declared that they have none. */
export function haveBothResponded({ claimant, respondent }: z.infer<typeof SideStates>): boolean {
  return hasResponded(claimant) && hasResponded(respondent);
}

/** Returns whether a side responded within the window. */
export function hasResponded(state: SideState): boolean {
  return state !== 'awaiting' && state !== 'defaulted';
}

/** The complete frozen input of a judgement: submitted evidence and ledger facts. */
export const FrozenCase = z.object({
  parties: Parties,
  sides: SideStates,
  ledger: LedgerFacts,
  rows: z.array(EvidenceRow),
  frozenAt: z.int(),
  /** Effect of the verdict at that time; absent in cases frozen before this field existed. */
  effect: VerdictEffect.optional(),
  /** Merkle root over parties, sides, ledger and rows. */
  root: z.string(),
});
/** A parsed {@link FrozenCase}. */
export type FrozenCase = z.infer<typeof FrozenCase>;

/** The result of one rule for the ledger and the claims. */
export const Finding = z.object({
  rule_id: z.string(),
  favours: z.enum(['buyer', 'provider', 'nobody']),
  text: z.string(),
});
/** A parsed {@link Finding}. */
export type Finding = z.infer<typeof Finding>;

/** The admission result of one item of evidence. */
export const AdmittedItem = z.object({
  evidence_id: z.string(),
  side: Side,
  sha256: z.string(),
  at: z.iso.datetime(),
  words: z.int(),
  /** Words that seats read; both sides have the same cap. */
  words_kept: z.int(),
  is_admitted: z.boolean(),
  /** Reason if the item is not admitted. */
  why: z.string().nullable(),
  /** Signs of an instruction to the arbiter. The item stays admitted and is marked. */
  signs: z.array(z.string()),
  /** Claims that the ledger contradicts. */
  contradicted: z.array(Claim),
  claims: z.array(Claim),
});
/** A parsed {@link AdmittedItem}. */
export type AdmittedItem = z.infer<typeof AdmittedItem>;

/** The case file that seats judge. */
export const CaseFile = z.object({
  board_job_id: z.string(),
  claimant_role: JobRole,
  sides: SideStates,
  evidence_root: z.string(),
  frozen_at: z.iso.datetime(),
  word_cap: z.int(),
  /** Characters per side that seats read; absent in files written before the cap existed. */
  char_cap: z.int().optional(),
  /** Effect of the verdict at the time the evidence was frozen. */
  effect: VerdictEffect.optional(),
  ledger: z.array(z.object({ evidence_id: z.string(), text: z.string() })),
  findings: z.array(Finding),
  items: z.array(AdmittedItem),
});
/** A parsed {@link CaseFile}. */
export type CaseFile = z.infer<typeof CaseFile>;

/** The brief of an arbitration. `file` is set after the evidence window closes. */
export const CaseBrief = z.object({
  question: z.string(),
  options: z.array(z.object({ optionId: z.string(), name: z.string() })),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
  file: CaseFile.nullable(),
});
/** A parsed {@link CaseBrief}. */
export type CaseBrief = z.infer<typeof CaseBrief>;

/** Option ids of a verdict. */
export type VerdictId = 'upheld' | 'overturned';
/** The possible verdicts. */
export const VERDICTS: readonly (PanelOption & { readonly optionId: VerdictId })[] = [
  { optionId: 'upheld', name: 'Upheld: the settlement stands' },
  { optionId: 'overturned', name: 'Overturned: the settlement is reversed' },
];

/** Creates the initial brief of a case. */
export function createCaseBrief(claimantRole: JobRole): CaseBrief {
  const [currentOutcome, reversedOutcome] =
    claimantRole === 'buyer'
      ? ['the provider is paid', 'the buyer gets the money back']
      : ['the provider is not paid', 'the provider ought to be paid'];
  const question =
    `The ${claimantRole} wants the settlement of a job reversed. As it stands, ` +
    `${currentOutcome}; reversed, ${reversedOutcome}. Is the settlement upheld or overturned?`;
  return { question, options: [...VERDICTS], evidence: [], file: null };
}

/**
 * Returns a brief for transcripts. The payer may be neither party, so texts are replaced by hashes.
 */
export function replaceTextsByHashes(brief: CaseBrief): CaseBrief {
  const shas = new Map(brief.file?.items.map((item) => [item.evidence_id, item.sha256]));
  const evidence = brief.evidence.map((one) => {
    const sha = shas.get(one.evidenceId);
    return sha === undefined ? one : { ...one, text: `SHA-256 ${sha}` };
  });
  return { ...brief, evidence };
}
