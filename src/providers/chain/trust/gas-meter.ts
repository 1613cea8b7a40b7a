import { renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { DAY_MS } from '../../../domain/time.ts';
import { readJsonFile } from '../json-file.ts';

/**
 * Counts what calls of the operator cost on a day, in wei, over restarts. A call counts from the
 * moment that it is sent with the most that it may cost, and with what it did cost once its receipt
 * is known: one whose answer is lost goes on counting.
 */
export interface GasMeter {
  /** What has been used since midnight UTC, with what may still be. */
  used(): bigint;
  /** What a day may use; `undefined` where gas costs nothing. */
  readonly budget: bigint | undefined;
  /** Counts a call under its name, instead of what the name counted before. */
  hold(name: string, wei: bigint): void;
  /** Whether a call of this name has no receipt yet. */
  isHeld(name: string): boolean;
  /** What the call of a name did cost. A name that is not held counts nothing. */
  settle(name: string, wei: bigint): void;
}

/** Calls without a receipt that are counted one by one; the oldest then count as they stand. */
export const GAS_HELD_MAX = 1_000;
/** Days for which a call without a receipt counts: by then its nonce has been used. */
const HELD_DAYS = 2;

const Wei = z.string().regex(/^\d+$/);
const Held = z.object({ day: z.number().int(), wei: Wei });
const Kept = z.object({
  day: z.number().int(),
  used: Wei,
  held: z.record(z.string(), Held).default({}),
});
type Kept = z.infer<typeof Kept>;

/** Opens the count of a file. `now` is in milliseconds. */
export function openGasMeter(parts: {
  readonly now: () => number;
  readonly budget: bigint | undefined;
  readonly file: string;
}): GasMeter {
  const { now, budget, file } = parts;
  const today = () => Math.floor(now() / DAY_MS);
  const parsed = Kept.safeParse(readJsonFile(file));
  let kept = parsed.success ? parsed.data : { day: today(), used: '0', held: {} };
  const save = (next: Kept) => {
    kept = next;
    writeFileSync(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    budget,
    used: () => {
      const { used, held } = onDay(kept, today());
      return Object.values(held).reduce((sum, { wei }) => sum + BigInt(wei), BigInt(used));
    },
    isHeld: (name) => Object.hasOwn(kept.held, name),
    hold: (name, wei) => {
      if (wei === 0n) return;
      const { [name]: _before, ...held } = onDay(kept, today()).held;
      const entry = { day: today(), wei: wei.toString() };
      save(bounded({ ...onDay(kept, today()), held: { ...held, [name]: entry } }));
    },
    settle: (name, wei) => {
      if (!Object.hasOwn(kept.held, name)) return;
      const { day, used, held } = onDay(kept, today());
      const { [name]: _before, ...rest } = held;
      save({ day, used: (BigInt(used) + wei).toString(), held: rest });
    },
  };
}

/** A new day begins with nothing but what is still under way. */
function onDay({ day, used, held }: Kept, today: number): Kept {
  if (day === today) return { day, used, held };
  const recent = Object.entries(held).filter(([, each]) => each.day > today - HELD_DAYS);
  return { day: today, used: '0', held: Object.fromEntries(recent) };
}

function bounded({ day, used, held }: Kept): Kept {
  const rows = Object.entries(held);
  const [oldest] = rows;
  if (rows.length <= GAS_HELD_MAX || oldest === undefined) return { day, used, held };
  const [, { wei }] = oldest;
  return {
    ...{ day, used: (BigInt(used) + BigInt(wei)).toString() },
    held: Object.fromEntries(rows.slice(1)),
  };
}
