import { seeded } from '../support/seeded.ts';

/** What one attempt of an attacker is made from. */
export interface Attempt {
  /** Numbers from 0 up to 1, the same for the same seed. */
  readonly random: () => number;
  /** Counts from 0. */
  readonly round: number;
  /** Grows from 1 towards `sizeMax` while time passes: how large or long the attempt may be. */
  readonly size: number;
  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** Bytes as hex, `length` of them. */
  hex(length: number): string;
}

/** How an attacker searches. */
export interface Search {
  /** Largest size of an attempt. */
  readonly sizeMax?: number;
  /** Attempts at most; a search by time when absent. */
  readonly roundsMax?: number;
  /** Attempts at least, even when the time is over. */
  readonly roundsMin?: number;
}

/** Eight attackers share five minutes in CI and twenty in the long run. */
const ATTACKERS = 8;
const CI_S = 300;
const LONG_S = 1_200;
/** On a person's machine: enough to find the known faults, short enough for every run. */
const HERE_S = 40;
const SIZE_MAX = 64;

/** Time that one attacker has, in milliseconds. */
export function searchMs(env: Readonly<Record<string, string | undefined>> = process.env): number {
  const named = Number(env['STOA_ADVERSARY_S'] ?? '');
  if (named > 0) return named * 1000;
  const allS = env['STOA_LONG'] === 'all' ? LONG_S : env['CI'] === 'true' ? CI_S : HERE_S;
  return (allS / ATTACKERS) * 1000;
}

/**
 * Plays attempts of growing size until the attacker's time is over. A failed attempt names the
 * seed that repeats it: `STOA_ADVERSARY_SEED=<seed>` plays that attempt alone.
 *
 * @param play - Throws when the attack did damage.
 * @returns How many attempts were played.
 */
export async function search(
  attacker: string,
  play: (attempt: Attempt) => Promise<void> | void,
  { sizeMax = SIZE_MAX, roundsMax = Number.POSITIVE_INFINITY, roundsMin = 1 }: Search = {},
): Promise<number> {
  const repeated = process.env['STOA_ADVERSARY_SEED'];
  if (repeated !== undefined) {
    const [seed = 0, round = 0, size = 1] = repeated.split(':').map(Number);
    await play(attempt({ seed, round, size }));
    return 1;
  }
  const begun = performance.now();
  const limitMs = searchMs();
  const seed = Math.floor(Math.random() * 2 ** 32);
  for (let round = 0; round < roundsMax; round += 1) {
    const share = (performance.now() - begun) / limitMs;
    if (share >= 1 && round >= roundsMin) return round;
    const size = 1 + Math.floor(Math.min(1, share) * (sizeMax - 1));
    try {
      await play(attempt({ seed, round, size }));
    } catch (cause) {
      const repeat = `STOA_ADVERSARY_SEED=${seed}:${round}:${size}`;
      const fault = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`The hostile ${attacker} got through (${repeat}): ${fault}`, { cause });
    }
  }
  return roundsMax;
}

function attempt({ seed, round, size }: Record<'seed' | 'round' | 'size', number>): Attempt {
  const random = seeded((seed ^ Math.imul(round + 1, 0x9e3779b1)) >>> 0);
  const integer = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  return {
    random,
    round,
    size,
    integer,
    pick: (items) => {
      if (items.length === 0) throw new Error('There is nothing to pick from.');
      return items[integer(0, items.length - 1)] as never;
    },
    hex: (length) =>
      Array.from({ length }, () => integer(0, 255).toString(16).padStart(2, '0')).join(''),
  };
}
