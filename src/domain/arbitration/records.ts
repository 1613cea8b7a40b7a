import { z } from 'zod';
import type { PanelOption } from '../panel/definition.ts';

/** Bounds of evidence, the same for both sides. */
export const EVIDENCE = {
  itemsMax: 12,
  textCharsMax: 8_000,
  sideCharsMax: 24_000,
  claimsMax: 8,
  claimCharsMax: 200,
  namesMax: 5,
  nameCharsMin: 3,
  nameCharsMax: 60,
  /** How long both sides may hand in evidence, in seconds. */
  windowSMin: 60,
  windowSMax: 5 * 86_400,
  /** At least so long where the verdict may move money, so that both sides can be heard. */
  escrowWindowSMin: 86_400,
  /** Seconds between the end of such a window and the escrow's own timeout, for the verdict. */
  escrowMarginS: 2 * 3_600,
} as const;
/** Seats of an arbitration; odd, so that a tie needs an abstention. */
export const ARBITER_SEATS = [3, 5, 7] as const;

/** What a verdict is for. */
export const VerdictEffect = z.enum(['decides_escrow', 'evidence_only']);
/** See {@link VerdictEffect}. */
export type VerdictEffect = z.infer<typeof VerdictEffect>;

/** The two sides. The claimant wants the settlement reversed, and carries the burden. */
export const Side = z.enum(['claimant', 'respondent']);
/** See {@link Side}. */
export type Side = z.infer<typeof Side>;
/** What a side is in the job. */
export const JobRole = z.enum(['buyer', 'provider']);
/** See {@link JobRole}. */
export type JobRole = z.infer<typeof JobRole>;

/** What a claim may be about: the ledger knows the first three, the parties the others. */
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
  value: z.string().trim().min(1).max(EVIDENCE.claimCharsMax),
});
/** A statement in a form that code can compare. */
export type Claim = z.infer<typeof Claim>;

/** One piece of evidence as a party hands it in. */
export const GivenEvidence = z.strictObject({
  text: z.string().trim().min(1).max(EVIDENCE.textCharsMax),
  claims: z.array(Claim).max(EVIDENCE.claimsMax).default([]),
});
/** See {@link GivenEvidence}. */
export type GivenEvidence = z.infer<typeof GivenEvidence>;

/** A piece of evidence as the case keeps it; its text by hash. */
export const EvidenceRow = z.object({
  /** `C1…` of the claimant, `R1…` of the respondent. */
  evidenceId: z.string(),
  side: Side,
  /** SHA-256 over the canonical JSON of what was handed in. */
  sha: z.string(),
  chars: z.int(),
  /** Milliseconds. */
  at: z.int(),
});
/** See {@link EvidenceRow}. */
export type EvidenceRow = z.infer<typeof EvidenceRow>;

/** What the ledger knows of a job. Times are in unix seconds. */
export const LedgerFacts = z.object({
  boardJobId: z.string(),
  state: z.string(),
  funding: z.string(),
  priceMicroUsd: z.string(),
  fulfilByS: z.int(),
  deliveredAtS: z.int().nullable(),
  /** Hash that stands on the ledger. */
  deliverableSha: z.string().nullable(),
  /** Hash of the bytes that were handed in here. */
  heldSha: z.string().nullable(),
  disputedAtS: z.int().nullable(),
  reason: z.string().nullable(),
  isPaid: z.boolean(),
  transactions: z.array(z.string()),
});
/** See {@link LedgerFacts}. */
export type LedgerFacts = z.infer<typeof LedgerFacts>;

/** Who is party to a case, and since when nothing is taken any more. */
export const Parties = z.object({
  boardJobId: z.string(),
  claimantRole: JobRole,
  claimant: z.string(),
  respondent: z.string(),
  /** Further names of the sides, each replaced in the side's own texts. */
  names: z.object({ claimant: z.array(z.string()), respondent: z.array(z.string()) }),
});
/** See {@link Parties}. */
export type Parties = z.infer<typeof Parties>;

/** What a side did within the window. */
export const SideState = z.enum(['awaiting', 'submitted', 'finished', 'waived', 'defaulted']);
/** See {@link SideState}. */
export type SideState = z.infer<typeof SideState>;
const SideStates = z.object({ claimant: SideState, respondent: SideState });

/** Whether both sides were heard: each handed something in, or said that it has nothing to add. */
export function areHeard({ claimant, respondent }: z.infer<typeof SideStates>): boolean {
  return isHeard(claimant) && isHeard(respondent);
}

/** Whether a side was heard. One that said nothing within the window was not. */
export function isHeard(state: SideState): boolean {
  return state !== 'awaiting' && state !== 'defaulted';
}

/** Everything that is judged, frozen: evidence as it was handed in beside the ledger's facts. */
export const FrozenCase = z.object({
  parties: Parties,
  sides: SideStates,
  ledger: LedgerFacts,
  rows: z.array(EvidenceRow),
  frozenAt: z.int(),
  /** What the verdict is for at that moment; absent in what was frozen before it was kept. */
  effect: VerdictEffect.optional(),
  /** Merkle root over parties, sides, ledger and rows. */
  root: z.string(),
});
/** See {@link FrozenCase}. */
export type FrozenCase = z.infer<typeof FrozenCase>;

/** One rule applied to ledger and claims. */
export const Finding = z.object({
  rule_id: z.string(),
  favours: z.enum(['buyer', 'provider', 'nobody']),
  text: z.string(),
});
/** See {@link Finding}. */
export type Finding = z.infer<typeof Finding>;

/** What became of one piece of evidence. */
export const AdmittedItem = z.object({
  evidence_id: z.string(),
  side: Side,
  sha256: z.string(),
  at: z.iso.datetime(),
  words: z.int(),
  /** Words that seats read; both sides have the same cap. */
  words_kept: z.int(),
  is_admitted: z.boolean(),
  /** Why it is not admitted. */
  why: z.string().nullable(),
  /** Signs of a text that is meant for whoever judges. It stays evidence and is marked. */
  signs: z.array(z.string()),
  /** Claims that the ledger contradicts. */
  contradicted: z.array(Claim),
  claims: z.array(Claim),
});
/** See {@link AdmittedItem}. */
export type AdmittedItem = z.infer<typeof AdmittedItem>;

/** What seats judge. */
export const CaseFile = z.object({
  board_job_id: z.string(),
  claimant_role: JobRole,
  sides: SideStates,
  evidence_root: z.string(),
  frozen_at: z.iso.datetime(),
  word_cap: z.int(),
  /** Characters of a side that seats read; absent in files written before there was a cap. */
  char_cap: z.int().optional(),
  /** What the verdict is for, as it stood when the evidence was frozen. */
  effect: VerdictEffect.optional(),
  ledger: z.array(z.object({ evidence_id: z.string(), text: z.string() })),
  findings: z.array(Finding),
  items: z.array(AdmittedItem),
});
/** See {@link CaseFile}. */
export type CaseFile = z.infer<typeof CaseFile>;

/** The brief of an arbitration. `file` is there from the end of the window on. */
export const CaseBrief = z.object({
  question: z.string(),
  options: z.array(z.object({ optionId: z.string(), name: z.string() })),
  evidence: z.array(z.object({ evidenceId: z.string(), text: z.string() })),
  file: CaseFile.nullable(),
});
/** See {@link CaseBrief}. */
export type CaseBrief = z.infer<typeof CaseBrief>;

/** Option ids of a verdict. */
export type VerdictId = 'upheld' | 'overturned';
/** What a verdict may be. */
export const VERDICTS: readonly (PanelOption & { readonly optionId: VerdictId })[] = [
  { optionId: 'upheld', name: 'Upheld: the settlement stands' },
  { optionId: 'overturned', name: 'Overturned: the settlement is reversed' },
];

/** The brief that a case begins with. */
export function openBrief(claimantRole: JobRole): CaseBrief {
  const [stands, reversed] =
    claimantRole === 'buyer'
      ? ['the provider is paid', 'the buyer gets the money back']
      : ['the provider is not paid', 'the provider ought to be paid'];
  const question =
    `The ${claimantRole} wants the settlement of a job reversed. As it stands, ${stands}; ` +
    `reversed, ${reversed}. Is the settlement upheld or overturned?`;
  return { question, options: [...VERDICTS], evidence: [], file: null };
}

/** A brief for transcripts: whoever paid may be neither party, so texts of both stand by hash. */
export function withoutTexts(brief: CaseBrief): CaseBrief {
  const shas = new Map(brief.file?.items.map((item) => [item.evidence_id, item.sha256]));
  const evidence = brief.evidence.map((one) => {
    const sha = shas.get(one.evidenceId);
    return sha === undefined ? one : { ...one, text: `SHA-256 ${sha}` };
  });
  return { ...brief, evidence };
}
