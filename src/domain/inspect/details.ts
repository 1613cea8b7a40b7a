import type {
  AdmittedItem,
  JobRole,
  Side,
  SideState,
  VerdictEffect,
} from '../arbitration/records.ts';
import type { VerdictPayload } from '../arbitration/result.ts';
import type { Condition, Exchange, FactNote, Gap, RedLineNote } from '../council/notes.ts';

/** The part of a panel frame that depends on the kind of panel. */
export type PanelDetails = CouncilDetails | ArbitrationDetails;

/** Details of a council: facts computed from its brief, and the results of the roles. */
export interface CouncilDetails {
  readonly kind: 'council';
  readonly vendor: string;
  readonly product: string;
  readonly background: string | null;
  /** Reference date of conditions, as YYYY-MM-DD. */
  readonly startsOn: string;
  /**
   * Computed amounts in micro-dollars, arithmetic errors and checklists; `null` before they are
   * computed.
   */
  readonly facts: FactNote | null;
  /** `null` until all opinions are in. */
  readonly redLines: RedLineNote | null;
  /** Questions and answers so far. */
  readonly exchanges: readonly Exchange[];
  /** Conditions and gaps; `null` before they are merged. */
  readonly merged: {
    readonly conditions: readonly Condition[];
    readonly gaps: readonly Gap[];
  } | null;
  /** Result of the ballots, if red lines changed it. */
  readonly adjusted: { readonly from: string; readonly why: readonly string[] } | null;
}

/** Details of an arbitration. They contain no party texts, and no positions before the count. */
export interface ArbitrationDetails {
  readonly kind: 'arbitration';
  /** The arbiter, shown next to every verdict. */
  readonly arbiter: VerdictPayload['arbiter'];
  readonly boardJobId: string;
  readonly effect: VerdictEffect;
  readonly claimant: CaseParty;
  readonly respondent: CaseParty;
  /** End of the evidence window, in milliseconds since 1970. */
  readonly windowEndsAt: number;
  readonly evidence: readonly CaseEvidence[];
  /** The frozen case; `null` while evidence is accepted. */
  readonly frozen: FrozenDetails | null;
  /** One row per seat; `null` before the count. */
  readonly passes: readonly SeatPasses[] | null;
  /** `null` before the count. */
  readonly verdict: VerdictDetails | null;
}

/** A party of a case. */
export interface CaseParty {
  readonly role: JobRole;
  readonly wallet: string;
  readonly state: SideState;
}

/** A piece of evidence with its size, side and time. The hash is present once the window closes. */
export interface CaseEvidence {
  readonly evidenceId: string;
  readonly side: Side;
  readonly chars: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly sha256: string | null;
  /** Admission result; `null` before the check. */
  readonly admitted: AdmittedDetails | null;
}

/** How a piece of evidence was admitted. */
export type AdmittedDetails = Pick<
  AdmittedItem,
  'is_admitted' | 'why' | 'words' | 'words_kept' | 'signs'
> & {
  /** Claims that the ledger contradicts. */
  readonly contradicted: readonly string[];
};

/** The case as frozen at the end of the window. */
export interface FrozenDetails {
  readonly root: string;
  /** Milliseconds since 1970; `null` until the automatic check. */
  readonly at: number | null;
  readonly wordCap: number | null;
  readonly ledger: readonly { readonly evidenceId: string; readonly text: string }[];
  readonly findings: readonly {
    readonly ruleId: string;
    readonly favours: string;
    readonly text: string;
  }[];
}

/** Positions of a seat before and after the sides were swapped; `null` if there is none. */
export interface SeatPasses {
  readonly seat: string;
  readonly first: string | null;
  readonly swapped: string | null;
  /** Whether the position changed with the order of the sides. Such a seat abstains. */
  readonly isFlip: boolean;
  readonly evidenceIds: readonly string[];
}

/** The result of the count. */
export interface VerdictDetails {
  readonly verdict: 'upheld' | 'overturned' | 'no_verdict';
  readonly inFavourOf: JobRole | null;
  readonly votes: {
    readonly upheld: number;
    readonly overturned: number;
    readonly flipped: number;
    readonly seats: number;
  };
  /** SHA-256 of the signed payload, in hex. */
  readonly payloadHash: string | null;
}
