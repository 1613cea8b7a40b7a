import type {
  AdmittedItem,
  JobRole,
  Side,
  SideState,
  VerdictEffect,
} from '../arbitration/records.ts';
import type { VerdictPayload } from '../arbitration/result.ts';
import type { Condition, Exchange, FactNote, Gap, RedLineNote } from '../council/notes.ts';

/** What panels of one kind tell beside what all panels tell. */
export type PanelDetails = CouncilDetails | ArbitrationDetails;

/** A council: what code computed from its brief, and what the roles came to. */
export interface CouncilDetails {
  readonly kind: 'council';
  readonly vendor: string;
  readonly product: string;
  readonly background: string | null;
  /** Dates of conditions count from here, as YYYY-MM-DD. */
  readonly startsOn: string;
  /** Figures in micro-dollars, wrong numbers and checklists; `null` before they are computed. */
  readonly facts: FactNote | null;
  /** `null` before the opinions are in. */
  readonly redLines: RedLineNote | null;
  /** Questions so far with their answers so far. */
  readonly exchanges: readonly Exchange[];
  /** Conditions and gaps; `null` before they are merged. */
  readonly merged: {
    readonly conditions: readonly Condition[];
    readonly gaps: readonly Gap[];
  } | null;
  /** What the ballots chose, where red lines made something else of it. */
  readonly adjusted: { readonly from: string; readonly why: readonly string[] } | null;
}

/** An arbitration. Neither texts of the parties nor positions before the count stand in it. */
export interface ArbitrationDetails {
  readonly kind: 'arbitration';
  /** Who judges: stands beside every verdict. */
  readonly arbiter: VerdictPayload['arbiter'];
  readonly boardJobId: string;
  readonly effect: VerdictEffect;
  readonly claimant: CaseParty;
  readonly respondent: CaseParty;
  /** When nothing more is taken, in milliseconds. */
  readonly windowEndsAt: number;
  readonly evidence: readonly CaseEvidence[];
  /** What was frozen; `null` while evidence is taken. */
  readonly frozen: FrozenDetails | null;
  /** One row a seat; `null` before the count. */
  readonly passes: readonly SeatPasses[] | null;
  /** `null` before the count. */
  readonly verdict: VerdictDetails | null;
}

/** One side of a case. */
export interface CaseParty {
  readonly role: JobRole;
  readonly wallet: string;
  readonly state: SideState;
}

/** A piece of evidence: how much, of whom, when; its hash once nothing is taken any more. */
export interface CaseEvidence {
  readonly evidenceId: string;
  readonly side: Side;
  readonly chars: number;
  /** Milliseconds. */
  readonly at: number;
  readonly sha256: string | null;
  /** What became of it; `null` before it was looked at. */
  readonly admitted: AdmittedDetails | null;
}

/** How a piece of evidence is read. */
export type AdmittedDetails = Pick<
  AdmittedItem,
  'is_admitted' | 'why' | 'words' | 'words_kept' | 'signs'
> & {
  /** Facts on which the ledger contradicts what it claims. */
  readonly contradicted: readonly string[];
};

/** What was frozen at the end of the window. */
export interface FrozenDetails {
  readonly root: string;
  /** Milliseconds; `null` until it was looked at by code. */
  readonly at: number | null;
  readonly wordCap: number | null;
  readonly ledger: readonly { readonly evidenceId: string; readonly text: string }[];
  readonly findings: readonly {
    readonly ruleId: string;
    readonly favours: string;
    readonly text: string;
  }[];
}

/** How a seat judged before and after the sides were swapped; `null`: it did not. */
export interface SeatPasses {
  readonly seat: string;
  readonly first: string | null;
  readonly swapped: string | null;
  /** It changed with the order of the sides, and so abstains. */
  readonly isFlip: boolean;
  readonly evidenceIds: readonly string[];
}

/** What the count came to. */
export interface VerdictDetails {
  readonly verdict: 'upheld' | 'overturned' | 'no_verdict';
  readonly inFavourOf: JobRole | null;
  readonly votes: {
    readonly upheld: number;
    readonly overturned: number;
    readonly flipped: number;
    readonly seats: number;
  };
  /** SHA-256 of the payload that was signed, in hex. */
  readonly payloadHash: string | null;
}
