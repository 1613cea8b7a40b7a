/** Maximum length of a reason, in characters. */
const WORDS_CHARS_MAX = 280;
/** Maximum number of tools named in one reason. */
const NAMED_MAX = 4;

/** Collects what a probe could not check or decide. With any doubt, a run is not clean. */
export class Doubts {
  readonly #reasons = new Set<string>();
  readonly #tools = new Map<string, Set<string>>();

  add(reason: string): void {
    this.#reasons.add(reason);
  }

  /** Adds a tool that was not checked, with the reason. */
  addTool(tool: string, why: string): void {
    const named = this.#tools.get(why) ?? new Set();
    named.add(tool);
    this.#tools.set(why, named);
  }

  /** Returns all doubts as text; `undefined` if there are none. */
  describe(): string | undefined {
    const ofTools = [...this.#tools].map(([why, tools]) => `${shortList([...tools])}: ${why}`);
    const all = [...this.#reasons, ...ofTools];
    return all.length === 0 ? undefined : all.join('; ').slice(0, WORDS_CHARS_MAX);
  }
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, NAMED_MAX).join(', ');
  return names.length <= NAMED_MAX ? shown : `${shown} and ${names.length - NAMED_MAX} more`;
}
