/** A stream of choices that its labels decide: equal labels, equal choices. */
export class Chance {
  #state: number;

  constructor(...labels: readonly (string | number)[]) {
    this.#state = seedOf(labels.join('\n'));
  }

  /** A whole number from 0 to `n - 1`. */
  below(n: number): number {
    return Math.floor(this.#next() * n);
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True with the given probability. */
  isTrue(probability: number): boolean {
    return this.#next() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  /** One name of a table of weights. */
  weighted<Name extends string>(table: Readonly<Record<Name, number>>): Name {
    const rows = Object.entries(table) as [Name, number][];
    let left = this.#next() * rows.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of rows) {
      left -= weight;
      if (left < 0) return name;
    }
    return (rows.at(-1) as [Name, number])[0];
  }

  /** The list in another order. */
  shuffle<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.map(() => left.splice(this.below(left.length), 1)[0] as T);
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
}

function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) | 0;
}
