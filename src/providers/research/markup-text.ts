import { Parser } from 'htmlparser2';
import { limitDepth } from '../../domain/common/markup-depth.ts';
import { raisedMark } from '../../domain/page/raised.mjs';

/** Most characters of markup that are parsed. */
const MARKUP_CHARS_MAX = 200_000;
const OMITTED_ELEMENTS = new Set(['script', 'style', 'math', 'tex-math', 'title']);
const BLOCKS = new Set('p sec div li list abstract br title section tr table'.split(' '));
const CELLS = new Set(['td', 'th']);

/** Extracts the text of HTML or JATS, one line per paragraph. Section titles are omitted. */
export function extractText(markup: string): string {
  const pieces: string[] = [];
  let omittedDepth = 0;
  let raised: string | undefined;
  const parser = new Parser(
    limitDepth(
      {
        onopentagname: (name) => {
          if (OMITTED_ELEMENTS.has(withoutPrefix(name))) omittedDepth += 1;
          if (BLOCKS.has(withoutPrefix(name))) pieces.push('\n');
          if (CELLS.has(withoutPrefix(name))) pieces.push(' ');
          raised = /^su[pb]$/.test(withoutPrefix(name)) ? withoutPrefix(name) : undefined;
        },
        onclosetag: (name) => {
          if (OMITTED_ELEMENTS.has(withoutPrefix(name))) omittedDepth -= 1;
          if (BLOCKS.has(withoutPrefix(name))) pieces.push('\n');
        },
        ontext: (text) => {
          if (omittedDepth > 0) return;
          const before = pieces.slice(-2).join('').slice(-2);
          if (raised !== undefined) pieces.push(raisedMark(raised, before, text.trim()));
          raised = undefined;
          pieces.push(text.replaceAll(/\s+/g, ' '));
        },
      },
      () => parser.pause(),
    ),
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(markup.slice(0, MARKUP_CHARS_MAX));
  parser.end();
  const lines = pieces.join('').split('\n');
  return lines
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .filter(Boolean)
    .join('\n');
}

/** Returns the name of an element without its prefix. */
function withoutPrefix(name: string): string {
  return name.toLowerCase().replace(/^[a-z]+:/, '');
}
