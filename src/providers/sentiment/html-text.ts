import { Parser } from 'htmlparser2';
import { limitDepth } from '../../domain/common/markup-depth.ts';

/** Most characters of one text. */
export const OPINION_CHARS_MAX = 2_000;
const OMITTED_ELEMENTS = new Set(['script', 'style', 'pre', 'code']);

/** Extracts the text of HTML without code and quoted addresses, which carry no sentiment. */
export function extractHtmlText(html: string): string {
  const pieces: string[] = [];
  let omittedDepth = 0;
  const parser = new Parser(
    limitDepth(
      {
        onopentagname: (name) => {
          if (OMITTED_ELEMENTS.has(name)) omittedDepth += 1;
          pieces.push(' ');
        },
        onclosetag: (name) => {
          if (OMITTED_ELEMENTS.has(name)) omittedDepth -= 1;
        },
        ontext: (text) => {
          if (omittedDepth === 0) pieces.push(text);
        },
      },
      () => parser.pause(),
    ),
  );
  parser.write(html.slice(0, OPINION_CHARS_MAX * 5));
  parser.end();
  return pieces.join('').replaceAll(/\s+/g, ' ').trim().slice(0, OPINION_CHARS_MAX);
}
