import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Who writes the texts that a file takes apart. */
const Sender = z.enum([
  ...['caller', 'payer', 'tenant', 'operator', 'visitor', 'peer'],
  ...['target', 'model', 'upstream', 'chain', 'program', 'repository'],
] as const);
/** Why a file never sees a text of a stranger. */
const Trusted = z.enum(['own', 'operator', 'checked']);

const Entry = z.union([
  z.strictObject({ trusted: Trusted, hash: z.string() }),
  z.strictObject({
    from: Sender,
    bound: z.string(),
    thread: z.literal('worker').optional(),
    /** Patterns of the file that meet shorter texts: hash to the name of their bound. */
    closer: z.record(z.string(), z.string()).optional(),
    hash: z.string(),
  }),
]);

const List = z.strictObject({
  /** Constants that bound a text before any work on it. */
  bounds: z.record(
    z.string(),
    z.strictObject({ file: z.string(), constant: z.string(), chars: z.int().positive() }),
  ),
  /** Files that take texts apart; the hash stands for all their places together. */
  files: z.record(z.string(), Entry),
});

/** The list of all places where texts are taken apart. */
export function readList(): z.infer<typeof List> {
  return List.parse(JSON.parse(textOf('places.json')));
}

const Verdicts = z.strictObject({
  /** Hashes of patterns of which `recheck` knows that their time grows with the text. */
  linear: z.array(z.string()),
  /** Of which it does not know: they are measured at the bound of their file. */
  measured: z.array(z.string()),
});

/** What is known of each pattern, by {@link patternHash}. */
export function readVerdicts(): z.infer<typeof Verdicts> {
  return Verdicts.parse(JSON.parse(textOf('verdicts.json')));
}

/** The bound of the texts that a pattern of a listed file meets; `undefined` for the server's own. */
export function boundOf(
  pattern: Record<'file' | 'source' | 'flags', string>,
  { bounds, files }: z.infer<typeof List> = readList(),
) {
  const entry = files[pattern.file];
  if (entry === undefined || !('bound' in entry)) return undefined;
  return bounds[entry.closer?.[patternHash(pattern)] ?? entry.bound];
}

/** Names a pattern in the list of verdicts. */
export function patternHash({ source, flags }: Record<'source' | 'flags', string>): string {
  return createHash('sha256').update(`/${source}/${flags}`).digest('hex').slice(0, 12);
}

function textOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8');
}
