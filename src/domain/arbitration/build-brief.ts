import { assessText } from '../audit/text/text-check.ts';
import { hashJson } from '../common/hash.ts';
import { computeMerkleRoot } from '../panel/merkle.ts';
import { anonymizeText } from './anonymize.ts';
import { applyRules, formatLedgerRows, isContradicted } from './findings.ts';
import {
  type AdmittedItem,
  type CaseBrief,
  type Claim,
  createCaseBrief,
  type EvidenceRow,
  type FrozenCase,
  type Side,
  type SubmittedEvidence,
} from './records.ts';

/** Word cap per side: minimum, maximum, and multiple of the shorter side's word count. */
const WORD_CAP = { least: 400, most: 2_000, timesShorter: 2 } as const;

/** Characters allowed per word of the cap, so that text without spaces does not evade the cap. */
const CHARS_PER_WORD = 10;

/** Size of a scan window and the step between windows, in characters. Windows overlap. */
const SCAN_WINDOW = { chars: 600, step: 500 } as const;

/** Returns the Merkle root that binds the frozen case. */
export function computeFrozenRoot(o: Omit<FrozenCase, 'root'>): string {
  const { rows, ...rest } = o;
  return computeMerkleRoot([rest, ...rows]);
}

/**
 * Builds the brief that seats judge. A pure function of the frozen case.
 *
 * Excludes text that differs from the submission, is late or is a duplicate. Caps words and
 * characters equally for both sides, removes names, and drops claims that the ledger contradicts.
 *
 * @param textOf - Returns the submission with a hash, or `undefined` if it is not available.
 */
export function buildBrief(
  frozen: FrozenCase,
  textOf: (sha: string) => SubmittedEvidence | undefined,
): CaseBrief {
  const { parties, ledger, rows, sides } = frozen;
  const checkedItems = rows.map((row) => checkItem(row, textOf(row.sha), frozen));
  const cap = computeWordCap(checkedItems);
  const charCap = cap * CHARS_PER_WORD;
  const remaining = {
    claimant: { words: cap, chars: charCap },
    respondent: { words: cap, chars: charCap },
  };
  const trimmedItems = checkedItems.map((item): TrimmedItem => {
    const own = remaining[item.row.side];
    const text = item.words.slice(0, own.words).join(' ').slice(0, own.chars).trimEnd();
    const count = text.split(' ').filter(Boolean).length;
    own.words -= count;
    own.chars -= text.length;
    return { ...item, text, kept: count };
  });
  const claims = {
    claimant: admittedClaims(trimmedItems, 'claimant'),
    respondent: admittedClaims(trimmedItems, 'respondent'),
  };
  const rowsOfLedger = formatLedgerRows(ledger);
  return {
    ...createCaseBrief(parties.claimantRole),
    evidence: [
      ...rowsOfLedger,
      ...trimmedItems
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
      findings: [...applyRules(ledger, claims, parties.claimantRole)],
      items: trimmedItems.map(toAdmittedItem),
    },
  };
}

interface CheckedItem {
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
interface TrimmedItem extends CheckedItem {
  readonly text: string;
  readonly kept: number;
}

function checkItem(
  row: EvidenceRow,
  given: SubmittedEvidence | undefined,
  frozen: FrozenCase,
): CheckedItem {
  const rejection = findRejection(row, given, frozen);
  if (given === undefined || rejection !== null) {
    return {
      row,
      isAdmitted: false,
      why: rejection,
      words: [],
      signs: [],
      claims: [],
      contradicted: [],
    };
  }
  const words = anonymizeText(given.text, frozen.parties, row.side).split(/\s+/u).filter(Boolean);
  const contradicted = given.claims.filter((claim) => isContradicted(claim, frozen.ledger));
  const { claims } = given;
  return {
    row,
    isAdmitted: true,
    why: rejection,
    words,
    signs: findInjectionSigns(given.text),
    claims,
    contradicted,
  };
}

/** Scans window by window, because the cost of one scan grows with the square of its length. */
function findInjectionSigns(text: string): readonly string[] {
  const signs = new Set<string>();
  for (let from = 0; from < text.length; from += SCAN_WINDOW.step) {
    const suspicion = assessText(text.slice(from, from + SCAN_WINDOW.chars));
    for (const sign of suspicion?.signs ?? []) signs.add(sign);
  }
  return [...signs];
}

function findRejection(
  row: EvidenceRow,
  given: SubmittedEvidence | undefined,
  { rows, frozenAt }: FrozenCase,
): string | null {
  if (given === undefined || hashJson(given) !== row.sha) return 'does not match the submission';
  if (row.at > frozenAt) return 'submitted after the window closed';
  const first = rows.find(({ sha, side }) => sha === row.sha && side === row.side);
  return first === row ? null : `duplicate of ${first?.evidenceId}`;
}

function computeWordCap(judged: readonly CheckedItem[]): number {
  const words = (side: Side) =>
    judged.filter(({ row }) => row.side === side).reduce((sum, one) => sum + one.words.length, 0);
  const shorter = Math.min(words('claimant'), words('respondent'));
  return Math.min(WORD_CAP.most, Math.max(WORD_CAP.least, shorter * WORD_CAP.timesShorter));
}

function admittedClaims(judged: readonly CheckedItem[], side: Side): readonly Claim[] {
  return judged
    .filter(({ row, isAdmitted }) => isAdmitted && row.side === side)
    .flatMap(({ claims, contradicted }) => claims.filter((claim) => !contradicted.includes(claim)));
}

function toAdmittedItem(one: TrimmedItem): AdmittedItem {
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
