/**
 * Character widths of DejaVu Sans in thousandths of the font size. It is the widest common
 * interface font, so a text that fits here fits with every font of the page.
 */
const REGULAR_WIDTHS = [
  318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337, 637, 637, 637,
  637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 531, 1000, 685, 687, 699, 771, 632,
  576, 775, 752, 295, 295, 656, 558, 863, 749, 788, 604, 788, 695, 635, 611, 732, 685, 989, 686,
  611, 686, 391, 337, 391, 838, 500, 500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580,
  278, 975, 634, 612, 635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
];
const BOLD_WIDTHS = [
  349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366, 696, 696, 696,
  696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 581, 1000, 774, 763, 734, 831, 684,
  684, 821, 837, 373, 373, 775, 638, 996, 837, 851, 733, 851, 771, 721, 683, 813, 774, 1104, 771,
  725, 726, 458, 366, 458, 838, 500, 500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666,
  343, 1042, 712, 688, 716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
];
const FIRST_CODE = 32;
/** Width of all characters outside of ASCII. Wider than Latin, Greek, Cyrillic, Han and symbols. */
const OTHER_WIDTH = 1400;

/** The font style of a text. */
export interface TextStyle {
  readonly sizePx: number;
  readonly isBold: boolean;
}

/** Returns the maximum width of a text in pixels, rounded up. */
export function measureText(text: string, { sizePx, isBold }: TextStyle): number {
  const table = isBold ? BOLD_WIDTHS : REGULAR_WIDTHS;
  let sum = 0;
  for (const character of text) {
    sum += table[(character.codePointAt(0) ?? 0) - FIRST_CODE] ?? OTHER_WIDTH;
  }
  return Math.ceil((sum * sizePx) / 1000);
}

/**
 * Breaks a text into lines of at most `maxPx`. It breaks between words, or else after `.`, `_`,
 * `-`, `:` and `/` or before a capital, or else anywhere. No character is lost.
 */
export function wrapText(text: string, style: TextStyle, maxPx: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const piece of splitAtBreaks(text, style, maxPx)) {
    if (line !== '' && measureText((line + piece).trimEnd(), style) > maxPx) {
      lines.push(line.trimEnd());
      line = piece.trimStart();
    } else {
      line += piece;
    }
  }
  return [...lines, line.trimEnd()].filter((each, index) => each !== '' || index === 0);
}

/** Splits a text at possible breaks. A piece that is still too wide is split by character. */
function splitAtBreaks(text: string, style: TextStyle, maxPx: number): readonly string[] {
  const words = text.split(/(?<=\s)/);
  return words.flatMap((word) => {
    if (measureText(word.trimEnd(), style) <= maxPx) return [word];
    const parts = word.split(/(?<=[._\-:/|,])|(?<=[a-z0-9])(?=[A-Z])/);
    return parts.flatMap((part) =>
      measureText(part.trimEnd(), style) <= maxPx ? [part] : Array.from(part),
    );
  });
}
