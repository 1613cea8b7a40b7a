import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFiles } from '../tidy/files.ts';
import { type FoundPattern, patternsIn } from './patterns.ts';
import { type Attempt, search } from './search.ts';
import { atomsOf, UNITS } from './text/fragments.ts';
import { type Grown, growthFault } from './text/growth.ts';
import { boundOf, patternHash, readList, readVerdicts } from './text/listed.ts';
import { READERS } from './text/readers.ts';
import { ReadingProcess } from './text/reading.ts';

const LIST = readList();
const VERDICTS = readVerdicts();
const LINEAR = new Set(VERDICTS.linear);
const KNOWN = new Set([...VERDICTS.linear, ...VERDICTS.measured]);
/** Patterns that meet texts of strangers on the main thread, each with the bound of its file. */
const PATTERNS = readFiles('src', /\.(?:ts|mjs)$/)
  .flatMap(patternsIn)
  .flatMap((one) => {
    const bound = boundOf(one, LIST);
    const entry = LIST.files[one.file];
    const isInWorker = entry !== undefined && 'thread' in entry && entry.thread === 'worker';
    if (one.isOpen || isInWorker || bound === undefined) return [];
    return [{ ...one, charsMax: bound.chars }];
  });
/** Those that no checker calls linear come up more often. */
const DOUBTED = PATTERNS.filter((one) => !LINEAR.has(patternHash(one)));
/** Those that nobody has judged come up most often; test/adversary/text-places.test.ts has none left. */
const UNJUDGED = PATTERNS.filter((one) => !KNOWN.has(patternHash(one)));

let reading: ReadingProcess;
beforeAll(async () => {
  reading = await ReadingProcess.start();
});
afterAll(() => reading.close());

test('no text that is composed of what a pattern looks for keeps its reader', {
  timeout: 3_600_000,
}, async () => {
  await search('text', async (attempt) => {
    const grown = grownOf(attempt);
    const fault = await growthFault(reading, grown);
    if (fault === undefined) return;
    throw new Error(`${JSON.stringify(grown)}: ${fault}`);
  });
});

test('a composed text finds the shapes of the findings', { timeout: 300_000 }, async () => {
  const anchor = '<a\\b[^>]*href\\s*=\\s*["\']?([^\\s"\'>]+)[^>]*>([\\s\\S]{1,200}?)<\\/a>';
  const sources = [anchor, '\\s*\\n\\s*', '[\\w-]*(?:secret|token)[\\w-]*\\s*[:=]', '\\/+$'];
  for (const source of sources) {
    const found = search('known shape', async (attempt) => {
      const pattern = { file: 'a.ts', line: 1, source, flags: 'gi', isOpen: false };
      const fault = await growthFault(reading, composed(attempt, { ...pattern, charsMax: 16_384 }));
      if (fault !== undefined) throw new Error(fault);
    });
    await expect(found, source).rejects.toThrow();
  }
});

function grownOf(attempt: Attempt): Grown {
  if (UNJUDGED.length > 0 && attempt.random() < 0.5) {
    return composed(attempt, attempt.pick(UNJUDGED));
  }
  const kind = attempt.random();
  if (kind < 0.4) return composed(attempt, attempt.pick(DOUBTED));
  if (kind < 0.7) return composed(attempt, attempt.pick(PATTERNS));
  const { name, charsMax, turnChars } = attempt.pick(READERS);
  // What one pattern of the sources looks for may be a trouble to any reader.
  const { parts } = composed(attempt, attempt.pick(PATTERNS));
  return { reader: name, parts, charsMax, turnChars };
}

interface Bounded extends FoundPattern {
  readonly charsMax: number;
}

/** A text of a beginning that the pattern may enter by, a part to stay in, and no end. */
function composed(attempt: Attempt, { source, flags, charsMax }: Bounded): Grown {
  const atoms = atomsOf(source);
  const run = () => {
    if (atoms.length === 0 || attempt.random() < 0.15) return attempt.pick(UNITS);
    const from = attempt.integer(0, atoms.length - 1);
    return atoms.slice(from, from + attempt.integer(1, Math.min(24, 2 + attempt.size))).join('');
  };
  const middle = Array.from({ length: attempt.integer(1, 2) }, run).join('');
  const begin = attempt.random() < 0.4 ? run() : '';
  const end = attempt.pick(['', '', '\0', '\n', '!']);
  return { reader: { source, flags }, parts: [begin, middle, end], charsMax };
}
