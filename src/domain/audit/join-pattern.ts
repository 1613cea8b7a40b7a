/** Concatenates pieces into a regular expression. */
export function joinPattern(flags: string, ...pieces: readonly string[]): RegExp {
  return new RegExp(pieces.join(''), flags);
}
