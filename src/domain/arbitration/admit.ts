import { suspicionOf } from '../audit/text/text-check.ts';
import { hashJson } from '../common/hash.ts';
import { merkleRoot } from '../panel/merkle.ts';
import { findingsOf, isContradicted, ledgerRows } from './findings.ts';
import { withoutNames } from './neutral.ts';
import {
  type AdmittedItem,
  type CaseBrief,
  type Claim,
  type EvidenceRow,
  type FrozenCase,
  type GivenEvidence,
  openBrief,
  type Side,
} from './records.ts';

/** Words of a side that seats read: at least, at most, and how many times the shorter side's. */
const WORDS = { least: 400, most: 2_000, timesShorter: 2 } as const;

/** Characters of a side for each word of its cap: text without spaces buys no more than that. */
const CHARS_PER_WORD = 10;

/** Characters that are looked at together, and from where to where: parts overlap. */
const SCANNED = { chars: 600, step: 500 } as const;

/** Binds what is frozen. */
export function frozenRoot(o: Omit<FrozenCase, 'root'>): string {
  const { rows, ...rest } = o;
  return merkleRoot([rest, ...rows]);
}

/**
 * Makes the brief that seats judge from what was frozen: a pure function of it. A text that is not
 * the one that was handed in, or of no side of this case, is not admitted; both sides have the same
 * cap of words and characters; names are taken out; claims that the ledger contradicts count for
 * nothing.
 *
 * @param textOf - What was handed in, by its hash; `undefined` when it is not there.
 */
export function admit(
  frozen: FrozenCase,
  textOf: (sha: string) => GivenEvidence | undefined,
): CaseBrief {
  const { parties, ledger, rows, sides } = frozen;
  const judged = rows.map((row) => judge(row, textOf(row.sha), frozen));
  const cap = capOf(judged);
  const charCap = cap * CHARS_PER_WORD;
  const left = {
    claimant: { words: cap, chars: charCap },
    respondent: { words: cap, chars: charCap },
  };
  const kept = judged.map((one): Kept => {
    const own = left[one.row.side];
    const text = one.words.slice(0, own.words).join(' ').slice(0, own.chars).trimEnd();
    const count = text.split(' ').filter(Boolean).length;
    own.words -= count;
    own.chars -= text.length;
    return { ...one, text, kept: count };
  });
  const claims = { claimant: claimsOf(kept, 'claimant'), respondent: claimsOf(kept, 'respondent') };
  const rowsOfLedger = ledgerRows(ledger);
  return {
    ...openBrief(parties.claimantRole),
    evidence: [
      ...rowsOfLedger,
      ...kept
        .filter(({ kept: words }) => words > 0)
        .map(({ row, text }) => ({ evidenceId: row.evidenceId, text })),
    ],
    file: {
      board_job_id: parties.boardJobId,
      claimant_role: parties.claimantRole,
      sides,
      evidence_root: frozen.root,
      frozen_at: new Date(frozen.frozenAt).toISOString(),
      word_cap: cap,
      char_cap: charCap,
      ...(frozen.effect === undefined ? {} : { effect: frozen.effect }),
      ledger: rowsOfLedger.map(({ evidenceId, text }) => ({ evidence_id: evidenceId, text })),
      findings: [...findingsOf(ledger, claims, parties.claimantRole)],
      items: kept.map(itemOf),
    },
  };
}

interface Judged {
  readonly row: EvidenceRow;
  readonly isAdmitted: boolean;
  readonly why: string | null;
  /** Without names. */
  readonly words: readonly string[];
  readonly signs: readonly string[];
  readonly claims: readonly Claim[];
  readonly contradicted: readonly Claim[];
}

/** A piece with what of it is read. */
interface Kept extends Judged {
  readonly text: string;
  readonly kept: number;
}

function judge(row: EvidenceRow, given: GivenEvidence | undefined, frozen: FrozenCase): Judged {
  const why = faultOf(row, given, frozen);
  if (given === undefined || why !== null) {
    return { row, isAdmitted: false, why, words: [], signs: [], claims: [], contradicted: [] };
  }
  const words = withoutNames(given.text, frozen.parties, row.side).split(/\s+/u).filter(Boolean);
  const contradicted = given.claims.filter((claim) => isContradicted(claim, frozen.ledger));
  const { claims } = given;
  return { row, isAdmitted: true, why, words, signs: signsIn(given.text), claims, contradicted };
}

/** Looks for signs part by part: what a look costs grows with the square of its length. */
function signsIn(text: string): readonly string[] {
  const signs = new Set<string>();
  for (let from = 0; from < text.length; from += SCANNED.step) {
    const suspicion = suspicionOf(text.slice(from, from + SCANNED.chars));
    for (const sign of suspicion?.signs ?? []) signs.add(sign);
  }
  return [...signs];
}

function faultOf(
  row: EvidenceRow,
  given: GivenEvidence | undefined,
  { rows, frozenAt }: FrozenCase,
): string | null {
  if (given === undefined || hashJson(given) !== row.sha) return 'not what was handed in';
  if (row.at > frozenAt) return 'handed in after the window';
  const first = rows.find(({ sha, side }) => sha === row.sha && side === row.side);
  return first === row ? null : `the same as ${first?.evidenceId}`;
}

function capOf(judged: readonly Judged[]): number {
  const words = (side: Side) =>
    judged.filter(({ row }) => row.side === side).reduce((sum, one) => sum + one.words.length, 0);
  const shorter = Math.min(words('claimant'), words('respondent'));
  return Math.min(WORDS.most, Math.max(WORDS.least, shorter * WORDS.timesShorter));
}

function claimsOf(judged: readonly Judged[], side: Side): readonly Claim[] {
  return judged
    .filter(({ row, isAdmitted }) => isAdmitted && row.side === side)
    .flatMap(({ claims, contradicted }) => claims.filter((claim) => !contradicted.includes(claim)));
}

function itemOf(one: Kept): AdmittedItem {
  const { row, isAdmitted, why, words, signs, claims, contradicted, kept } = one;
  return {
    evidence_id: row.evidenceId,
    side: row.side,
    sha256: row.sha,
    at: new Date(row.at).toISOString(),
    words: words.length,
    words_kept: kept,
    is_admitted: isAdmitted,
    why,
    signs: [...signs],
    contradicted: [...contradicted],
    claims: [...claims],
  };
}
