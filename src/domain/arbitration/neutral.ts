import { EVIDENCE, type Parties, type Side } from './records.ts';

/** Placeholder for a side in a text until a prompt assigns the labels. */
export const SIDE_TOKENS: Readonly<Record<Side, string>> = {
  claimant: '\u27e6C\u27e7',
  respondent: '\u27e6R\u27e7',
};
const BRACKETS = /[\u27e6\u27e7]/g;
/** Letters at each end that identify a shortened wallet. */
const SHORT_LETTERS = 4;

/**
 * Replaces names in one side's text with placeholders.
 *
 * Replaces both wallets, full and shortened, and the names that this side gave for itself. Names of
 * the other side are ignored: a name may be any word, so it could rewrite the opponent's evidence.
 */
export function withoutNames(text: string, parties: Parties, author: Side): string {
  let neutral = text.replaceAll(BRACKETS, '');
  const sides: readonly Side[] = ['claimant', 'respondent'];
  for (const side of sides) neutral = neutral.replace(wordOf(parties[side]), SIDE_TOKENS[side]);
  for (const side of sides) neutral = neutral.replace(shortened(parties[side]), SIDE_TOKENS[side]);
  const own = parties.names[author].map((name) => name.trim());
  for (const name of own.toSorted((one, other) => other.length - one.length)) {
    const isName = name.length >= EVIDENCE.nameCharsMin;
    if (isName) neutral = neutral.replace(wordOf(name), SIDE_TOKENS[author]);
  }
  return neutral;
}

/** Replaces the placeholders with the labels of one pass. */
export function labelled(text: string, labels: Readonly<Record<Side, string>>): string {
  return text
    .replaceAll(SIDE_TOKENS.claimant, labels.claimant)
    .replaceAll(SIDE_TOKENS.respondent, labels.respondent);
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}_])${escaped(name)}(?![\\p{L}\\p{M}\\p{N}_])`, 'giu');
}

function shortened(wallet: string): RegExp {
  const start = wallet.slice(0, 2 + SHORT_LETTERS);
  const end = wallet.slice(-SHORT_LETTERS);
  return new RegExp(
    `${escaped(start)}[0-9a-f]{0,4}(?:\\.{2,3}|\u2026)[0-9a-f]{0,4}${escaped(end)}`,
    'gi',
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
