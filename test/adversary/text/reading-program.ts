import { READERS } from './readers.ts';

/** What the program is asked: a text made of a repeated part, and who reads it. */
export interface Reading {
  /** Name of a reader, or the source and flags of a pattern. */
  readonly reader: string | { readonly source: string; readonly flags: string };
  /** The text: its beginning, what is repeated, its end. */
  readonly parts: readonly [string, string, string];
  readonly chars: number;
  /** Readings of which the fastest counts. */
  readonly times: number;
}

/** How long it took, in milliseconds, and what it threw that no reader may throw. */
export interface Took {
  readonly ms: number;
  readonly fault: string | null;
  /** True when the process was killed while it read. */
  readonly hangs?: boolean;
}

process.on('message', (asked: Reading) => void took(asked).then((told) => process.send?.(told)));
process.send?.('ready');

async function took({ reader, parts, chars, times }: Reading): Promise<Took> {
  const [begin, middle, end] = parts;
  const count = Math.ceil(Math.max(0, chars - begin.length - end.length) / middle.length);
  const text = `${begin}${middle.repeat(count)}`.slice(0, chars - end.length) + end;
  const read = typeof reader === 'string' ? namedReader(reader) : patternReader(reader);
  let ms = Number.POSITIVE_INFINITY;
  for (let run = 0; run < times; run += 1) {
    // A fresh copy: what one run flattens or keeps must not help the next.
    const copy = Buffer.from(text, 'utf16le').toString('utf16le');
    const [begun, cpu] = [performance.now(), process.cpuUsage()];
    const fault = await faultOf(read, copy);
    const wallMs = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    if (fault !== null) return { ms: wallMs, fault };
    // Other processes add to the first, other threads of this one to the second.
    ms = Math.min(ms, wallMs, (user + system) / 1_000);
  }
  return { ms, fault: null };
}

async function faultOf(read: (text: string) => unknown, text: string): Promise<string | null> {
  try {
    await read(text);
    return null;
  } catch (thrown) {
    // A refusal has a code and data; a stack that is too deep and the like have none.
    const isRefusal = thrown instanceof Error && 'code' in thrown && 'data' in thrown;
    return isRefusal ? null : String(thrown);
  }
}

function namedReader(name: string): (text: string) => unknown {
  const found = READERS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no reader ${name}.`);
  return found.read;
}

function patternReader({ source, flags }: Exclude<Reading['reader'], string>) {
  // A sticky pattern is asked at a place that its reader chooses; the readers are measured as such.
  const all = new RegExp(source, `${flags.replaceAll('g', '')}g`);
  // Finds every match, as "split" does without the flag; objects for matches would cost most.
  return (text: string) => {
    all.lastIndex = 0;
    let [found, last] = [0, -1];
    while (all.test(text)) {
      found += 1;
      // An empty match does not move on by itself.
      if (all.lastIndex === last) all.lastIndex += 1;
      last = all.lastIndex;
    }
    return found;
  };
}
