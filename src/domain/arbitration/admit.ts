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

/** Word cap per side: minimum, maximum, and multiple of the shorter side's word count. */
const WORDS = { least: 400, most: 2_000, timesShorter: 2 } as const;

/** Characters allowed per word of the cap, so that text without spaces does not evade the cap. */
const CHARS_PER_WORD = 10;

/** Size of a scan window and the step between windows, in characters. Windows overlap. */
const SCANNED = { chars: 600, step: 500 } as const;

/** Returns the Merkle root that binds the frozen case. */
export function frozenRoot(o: Omit<FrozenCase, 'root'>): string {
  const { rows, ...rest } = o;
  return merkleRoot([rest, ...rows]);
}

/**
 * Builds the brief that seats judge. A pure function of the frozen case.
 *
 * Excludes text that differs from the submission, is late or is a duplicate. Caps words and
 * characters equally for both sides, removes names, and drops claims that the ledger contradicts.
 *
 * @param textOf - Returns the submission with a hash, or `undefined` if it is not available.
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
  /** Words of the text after names are removed. */
  readonly words: readonly string[];
  readonly signs: readonly string[];
  readonly claims: readonly Claim[];
  readonly contradicted: readonly Claim[];
}

/** An item with the part of its text that seats read. */
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

/** Scans window by window, because the cost of one scan grows with the square of its length. */
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
  if (given === undefined || hashJson(given) !== row.sha) return 'does not match the submission';
  if (row.at > frozenAt) return 'submitted after the window closed';
  const first = rows.find(({ sha, side }) => sha === row.sha && side === row.side);
  return first === row ? null : `duplicate of ${first?.evidenceId}`;
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
