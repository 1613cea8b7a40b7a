import { Parser } from 'htmlparser2';
import { withinDepth } from '../../domain/common/markup-depth.ts';

/** Most characters of one text. */
export const OPINION_CHARS_MAX = 2_000;
const LEFT_OUT = new Set(['script', 'style', 'pre', 'code']);

/** Extracts the text of HTML without code and quoted addresses, which carry no sentiment. */
export function htmlText(html: string): string {
  const pieces: string[] = [];
  let left = 0;
  const parser = new Parser(
    withinDepth(
      {
        onopentagname: (name) => {
          if (LEFT_OUT.has(name)) left += 1;
          pieces.push(' ');
        },
        onclosetag: (name) => {
          if (LEFT_OUT.has(name)) left -= 1;
        },
        ontext: (text) => {
          if (left === 0) pieces.push(text);
        },
      },
      () => parser.pause(),
    ),
  );
  parser.write(html.slice(0, OPINION_CHARS_MAX * 5));
  parser.end();
  return pieces.join('').replaceAll(/\s+/g, ' ').trim().slice(0, OPINION_CHARS_MAX);
}
