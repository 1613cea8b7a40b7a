import { EVIDENCE_LIMITS, type Parties, type Side } from './records.ts';

/** Placeholder for a side in a text until a prompt assigns the labels. */
export const SIDE_TOKENS: Readonly<Record<Side, string>> = {
  claimant: '\u27e6C\u27e7',
  respondent: '\u27e6R\u27e7',
};
const BRACKETS = /[\u27e6\u27e7]/g;
/** Letters at each end that identify a shortened wallet. */
const SHORT_WALLET_CHARS = 4;

/**
 * Replaces names in one side's text with placeholders.
 *
 * Replaces both wallets, full and shortened, and the names that this side gave for itself. Names of
 * the other side are ignored: a name may be any word, so it could rewrite the opponent's evidence.
 */
export function anonymizeText(text: string, parties: Parties, author: Side): string {
  let neutral = text.replaceAll(BRACKETS, '');
  const sides: readonly Side[] = ['claimant', 'respondent'];
  for (const side of sides)
    neutral = neutral.replace(wholeWordPattern(parties[side]), SIDE_TOKENS[side]);
  for (const side of sides)
    neutral = neutral.replace(shortWalletPattern(parties[side]), SIDE_TOKENS[side]);
  const own = parties.names[author].map((name) => name.trim());
  for (const name of own.toSorted((one, other) => other.length - one.length)) {
    const isName = name.length >= EVIDENCE_LIMITS.nameCharsMin;
    if (isName) neutral = neutral.replace(wholeWordPattern(name), SIDE_TOKENS[author]);
  }
  return neutral;
}

/** Replaces the placeholders with the labels of one pass. */
export function applyLabels(text: string, labels: Readonly<Record<Side, string>>): string {
  return text
    .replaceAll(SIDE_TOKENS.claimant, labels.claimant)
    .replaceAll(SIDE_TOKENS.respondent, labels.respondent);
}

function wholeWordPattern(name: string): RegExp {
  return new RegExp(
    `(?<![\\p{L}\\p{M}\\p{N}_])${escapeRegExp(name)}(?![\\p{L}\\p{M}\\p{N}_])`,
    'giu',
  );
}

function shortWalletPattern(wallet: string): RegExp {
  const start = wallet.slice(0, 2 + SHORT_WALLET_CHARS);
  const end = wallet.slice(-SHORT_WALLET_CHARS);
  return new RegExp(
    `${escapeRegExp(start)}[0-9a-f]{0,4}(?:\\.{2,3}|\u2026)[0-9a-f]{0,4}${escapeRegExp(end)}`,
    'gi',
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
