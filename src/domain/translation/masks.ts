/** A text whose parts that are not translated are masked. */
export interface MaskedText {
  readonly text: string;
  /** What stands behind each mask, in order. */
  readonly parts: readonly string[];
}

// Code first: what is inside of it is nobody else's.
const KEPT = new RegExp(
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

/** Masks code, addresses, placeholders and tags, so that no model can change them. */
export function maskText(text: string): MaskedText {
  const parts: string[] = [];
  const masked = text.replace(MASK, '($1)').replace(KEPT, (part) => {
    parts.push(part);
    return `⟦${parts.length}⟧`;
  });
  return { text: masked, parts };
}

/** Puts back what was masked. A mask that there is not stays, for the check to find. */
export function unmaskText(text: string, parts: readonly string[]): string {
  return text.replace(MASK, (mask, place: string) => parts[Number(place) - 1] ?? mask);
}

/** The parts of a text that must stand in its translation as they are, sorted. */
export function keptParts(text: string): readonly string[] {
  return (text.match(KEPT) ?? []).sort();
}

/** A text without the parts that are kept as they are. */
export function withoutKept(text: string): string {
  return text.replace(KEPT, ' ');
}
