/** Concatenates pieces into a regular expression. */
export function pattern(flags: string, ...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(''), flags);
}
