/** A text with masked untranslatable parts. */
export interface MaskedText {
  readonly text: string;
  /** The original of each mask, in order. */
  readonly parts: readonly string[];
}

// Code comes first because its content must not be matched by other patterns.
const KEPT_PART = new RegExp(
  [
    '```[\\s\\S]*?```',
    '`[^`\\n]+`',
    'https?://[^\\s<>"\'）】」。，、；]*[^\\s<>"\'）】」。，、；.,;:!?)]',
    '[\\w.+-]{1,64}@[\\w-]{1,63}(?:\\.[\\w-]{1,63})+',
    '\\{\\{[^{}\\n]{1,80}\\}\\}',
    '\\$?\\{[\\w.,: -]{1,80}\\}',
    '%(?:\\d+\\$)?[sdif@]',
    '</?[a-zA-Z][^<>\\n]{0,200}>',
  ].join('|'),
  'gu',
);
const MASK = /⟦(\d{1,4})⟧/gu;

/** Masks code, URLs, placeholders and tags, so that no model can change them. */
export function maskText(text: string): MaskedText {
  const parts: string[] = [];
  const masked = text.replace(MASK, '($1)').replace(KEPT_PART, (part) => {
    parts.push(part);
    return `⟦${parts.length}⟧`;
  });
  return { text: masked, parts };
}

/** Restores masked parts. Unknown masks stay, so that the check finds them. */
export function unmaskText(text: string, parts: readonly string[]): string {
  return text.replace(MASK, (mask, number: string) => parts[Number(number) - 1] ?? mask);
}

/** Returns the parts of a text that must stay unchanged in its translation, sorted. */
export function listKeptParts(text: string): readonly string[] {
  return (text.match(KEPT_PART) ?? []).sort();
}

/** Returns a text without its untranslatable parts. */
export function removeKeptParts(text: string): string {
  return text.replace(KEPT_PART, ' ');
}
