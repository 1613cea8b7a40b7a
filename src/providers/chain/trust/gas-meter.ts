import { renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { DAY_MS } from '../../../domain/time.ts';
import { readJsonFile } from '../json-file.ts';

/** Counts what calls of the operator cost on a day, in wei, over restarts. */
export interface GasMeter {
  /** What has been used since midnight UTC. */
  used(): bigint;
  /** What a day may use; `undefined` where gas costs nothing. */
  readonly budget: bigint | undefined;
  add(wei: bigint): void;
}

const Kept = z.object({ day: z.number().int(), used: z.string().regex(/^\d+$/) });

/** Opens the count of a file. `now` is in milliseconds. */
export function openGasMeter(parts: {
  readonly now: () => number;
  readonly budget: bigint | undefined;
  readonly file: string;
}): GasMeter {
  const { now, budget, file } = parts;
  const today = () => Math.floor(now() / DAY_MS);
  const parsed = Kept.safeParse(readJsonFile(file));
  let kept = parsed.success ? parsed.data : { day: today(), used: '0' };
  const used = () => (kept.day === today() ? BigInt(kept.used) : 0n);
  return {
    used,
    budget,
    add: (wei) => {
      if (wei === 0n) return;
      kept = { day: today(), used: (used() + wei).toString() };
      writeFileSync(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
  };
}
