import type { ReadingProcess } from './reading.ts';
import type { Reading } from './reading-program.ts';

/** Growth of time with the length of a text: 1 is linear, 2 the square. */
export const EXPONENT_MAX = 1.2;
/** What one turn of the main thread may spend on a text, in milliseconds. */
export const TURN_MS_MAX = 50;

/** A reader, a text made of repeated parts, and the longest one that reaches the reader. */
export interface Grown {
  readonly reader: Reading['reader'];
  readonly parts: Reading['parts'];
  readonly charsMax: number;
  /** Characters that are read in one turn, where a reader gives others theirs. */
  readonly turnChars?: number | undefined;
}

/** A text that no reader may take longer for, in any thread. */
const HANG_MS = 3_000;
const CHARS_MIN = 1_024;
/** Below this nothing can be told of growth, and nothing is harmed. */
const NOISE_MS = 0.5;
/** Growth counts from here: below it, collecting garbage weighs more than reading. */
const HARM_MS = 10;
const TIMES = 3;
/** What the reference takes where nothing else runs, on the machine that the bounds were set on. */
const REFERENCE_MS = 30;
const REFERENCE_CHARS = 1_048_576;
/** A reader that is linear; what its time grows by more is the memory of the machine. */
const REFERENCE: Grown = {
  reader: { source: '\\w+', flags: '' },
  parts: ['', 'a ', ''],
  charsMax: REFERENCE_CHARS,
};
/** Looks until a fault counts: the machine may be busy with other tests. */
const LOOKS = 4;

/**
 * Has texts read from 1 KB to the bound, each twice as long as the one before.
 *
 * @returns What is wrong, or `undefined`.
 */
export async function growthFault(
  process: ReadingProcess,
  grown: Grown,
): Promise<string | undefined> {
  const fastest = new Map<number, number>();
  let found: string | undefined;
  let hangs = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    // Nearly all texts are read in no time: the first look asks once.
    const times = look === 0 || hangs === 1 ? 1 : TIMES;
    const seen = await lookAt(process, grown, { fastest, times });
    if (seen.hangs) hangs += 1;
    found = seen.thrown ?? faultIn(fastest, grown);
    if (found === undefined || seen.thrown !== undefined || hangs > 1) break;
    found = faultIn(fastest, grown, await lookAtMachine(process));
    if (found === undefined) break;
  }
  return found;
}

interface Look {
  readonly fastest: Map<number, number>;
  readonly times: number;
}

/** Reads each size, up to the first that hangs. What is thrown is a fault at once. */
async function lookAt(
  process: ReadingProcess,
  { reader, parts, charsMax }: Grown,
  { fastest, times }: Look,
): Promise<{ readonly thrown?: string; readonly hangs: boolean }> {
  for (const chars of sizesTo(charsMax)) {
    const { ms, fault, hangs } = await process.read({ reader, parts, chars, times }, HANG_MS);
    if (fault !== null && !hangs) {
      return { thrown: `${fault} at ${chars} characters`, hangs: false };
    }
    fastest.set(chars, Math.min(ms, fastest.get(chars) ?? Number.POSITIVE_INFINITY));
    if (hangs === true) return { hangs: true };
  }
  return { hangs: false };
}

interface Machine {
  /** How many times slower it is now than the machine that the bounds were set on. */
  readonly slower: number;
  /** Growth of the time of a linear reader here, at least 1. */
  readonly exponent: number;
}

const STEADY: Machine = { slower: 1, exponent: 1 };

async function lookAtMachine(process: ReadingProcess): Promise<Machine> {
  const fastest = new Map<number, number>();
  await lookAt(process, REFERENCE, { fastest, times: TIMES });
  return {
    slower: Math.max(1, (fastest.get(REFERENCE_CHARS) ?? HANG_MS) / REFERENCE_MS),
    exponent: Math.max(1, exponentOf([...fastest])),
  };
}

function faultIn(
  fastest: ReadonlyMap<number, number>,
  { reader, charsMax, turnChars }: Grown,
  machine = STEADY,
) {
  const rows = [...fastest].toSorted(([one], [other]) => one - other);
  const [chars = 0, ms = 0] = rows.at(-1) ?? [];
  const shown = rows.map(([size, each]) => `${size}: ${each.toFixed(1)} ms`).join(', ');
  if (chars < charsMax || ms >= HANG_MS) return `it hangs: ${shown}`;
  const turns = Math.ceil(chars / (turnChars ?? chars));
  // A pattern alone is judged by growth: how much of a text it is given, its reader decides.
  if (typeof reader === 'string' && ms / turns > TURN_MS_MAX * machine.slower)
    return `one turn takes ${(ms / turns).toFixed(0)} ms: ${shown}`;
  if (ms / turns < HARM_MS) return undefined;
  const exponent = exponentOf(rows);
  return exponent > EXPONENT_MAX * machine.exponent
    ? `exponent ${exponent.toFixed(2)}: ${shown}`
    : undefined;
}

/** The middle of the growths from size to size; 1 where too few sizes take time. */
export function exponentOf(rows: readonly (readonly [number, number])[]): number {
  const slow = rows.filter(([, ms]) => ms > NOISE_MS);
  if (slow.length < 3) return 1;
  // One jump, as where the memory for the largest text is collected, is no growth.
  const growths = slow
    .slice(1)
    .map(([chars, ms], at) => {
      const [fewer = chars, before = ms] = slow[at] ?? [];
      return Math.log(ms / before) / Math.log(chars / fewer);
    })
    .toSorted((one, other) => one - other);
  const half = growths.length / 2;
  return ((growths[Math.ceil(half) - 1] ?? 1) + (growths[Math.floor(half)] ?? 1)) / 2;
}

function sizesTo(charsMax: number): readonly number[] {
  const sizes: number[] = [];
  for (let chars = Math.min(CHARS_MIN, charsMax); chars < charsMax; chars *= 2) sizes.push(chars);
  return [...sizes, charsMax];
}
