import { AppError } from '../domain/common/error.ts';

/** Environment variable with the seed that repeats random walks and fault samples. */
export const SEED_VARIABLE = 'STOA_PATHS_SEED';

/** A seeded pseudo-random number generator. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number from 0 to `count - 1`. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  /** Returns a random item; `undefined` for an empty list. */
  pick<T>(list: readonly T[]): T | undefined {
    return list.length === 0 ? undefined : list[this.below(list.length)];
  }
}

/**
 * Returns the seed of a run: from `STOA_PATHS_SEED`, or the default.
 *
 * @param environment - `process.env`.
 * @throws {AppError} `INPUT_INVALID` if the variable is not a whole number from 0.
 */
export function seedFrom(
  environment: Readonly<Record<string, string | undefined>>,
  defaultSeed: number,
): number {
  const value = environment[SEED_VARIABLE];
  if (value === undefined || value === '') return defaultSeed;
  const seed = Number(value);
  if (Number.isSafeInteger(seed) && seed >= 0) return seed;
  throw new AppError('INPUT_INVALID', {
    message: `${SEED_VARIABLE} is ${JSON.stringify(value)}; it must be a whole number from 0`,
    data: { [SEED_VARIABLE]: value },
  });
}
