import { z } from 'zod';

/** Maximum lengths of text parameters, in characters. */
export const INPUT_CHARS_MAX = { id: 64, name: 100, filter: 500, cursor: 512, time: 64 } as const;
/** Maximum lengths of service parameters. */
export const SERVICE_BOUNDS = {
  commandChars: 10_000,
  pathChars: 1_024,
  repoChars: 2_048,
  branchChars: 255,
} as const;

/** Returns the schema of a non-blank text without control characters. */
export function textSchema(charsMax: number, what: string) {
  return z
    .string()
    .max(charsMax, { abort: true })
    .refine((text) => text.trim() !== '', `${what}; it cannot be empty`)
    .refine((text) => !hasControlChars(text), `${what}, without control characters`);
}

function hasControlChars(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

/** Schema of a shell command. */
export const Command = z
  .string()
  .max(SERVICE_BOUNDS.commandChars)
  .refine((text) => !text.includes('\0'), 'a command without NUL characters');

/** Schema of a relative path inside the repository. */
export const InnerPath = textSchema(
  SERVICE_BOUNDS.pathChars,
  'a path inside the repository',
).refine(
  (path) => !path.startsWith('/') && !path.split('/').includes('..'),
  'a path inside the repository: relative, without ..',
);

/** Schema of a Git branch name. */
export const BranchName = textSchema(SERVICE_BOUNDS.branchChars, 'the name of a branch').refine(
  isBranch,
  'the name of a branch that git check-ref-format accepts',
);

function isBranch(name: string): boolean {
  if (/[\s~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$/.test(name)) return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}
