/** Characters of what a run says it did not look at. */
const WORDS_CHARS_MAX = 280;
/** Tools that are named in one reason. */
const NAMED_MAX = 4;

/** What a probe could not look at, or could not settle: with any of it, nothing passes. */
export class Doubts {
  readonly #reasons = new Set<string>();
  readonly #tools = new Map<string, Set<string>>();

  /** Notes a reason. */
  note(reason: string): void {
    this.#reasons.add(reason);
  }

  /** Notes a tool that was not looked at, and why. */
  noteTool(tool: string, why: string): void {
    const named = this.#tools.get(why) ?? new Set();
    named.add(tool);
    this.#tools.set(why, named);
  }

  /** All of it in words; `undefined` where there is none. */
  inWords(): string | undefined {
    const ofTools = [...this.#tools].map(([why, tools]) => `${shortList([...tools])}: ${why}`);
    const all = [...this.#reasons, ...ofTools];
    return all.length === 0 ? undefined : all.join('; ').slice(0, WORDS_CHARS_MAX);
  }
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).join(', ');
  return names.length <= NAMED_MAX ? shown : `${shown} and ${names.length - NAMED_MAX} more`;
}
