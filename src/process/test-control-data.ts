import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../domain/error.ts';

/** File in the data directory that holds where the clock of a test server stands. */
const TEST_CLOCK_FILE = 'test-clock.json';

const Kept = z.strictObject({ at: z.int().min(0) });

/**
 * Where a test server's clock stands in a data directory, in milliseconds; `undefined` where there
 * is none.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged.
 */
export function readTestClock(dataDir: string): number | undefined {
  const file = join(dataDir, TEST_CLOCK_FILE);
  if (!existsSync(file)) return undefined;
  const kept = Kept.safeParse(jsonIn(file));
  if (kept.success) return kept.data.at;
  throw new AppError('CONFIG_INVALID', {
    message: `${TEST_CLOCK_FILE} in the data directory is damaged: it must hold {"at": <ms>}.`,
    data: { file: TEST_CLOCK_FILE },
  });
}

/** Keeps where the clock stands; a crash leaves the time before or this one. */
export function keepTestClock(dataDir: string, at: number): void {
  const file = join(dataDir, TEST_CLOCK_FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify({ at })}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Keeps a server with the real clock out of the data directory of a test server.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function refuseTestData(dataDir: string): void {
  if (readTestClock(dataDir) === undefined) return;
  throw new AppError('CONFIG_INVALID', {
    message:
      'The data directory is one of a test server, with a clock of its own: start it with ' +
      '--test-control, or take another directory.',
    data: { data_dir: dataDir, file: TEST_CLOCK_FILE },
  });
}

/**
 * Keeps a test server out of the data directory of a server with the real clock.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function refuseRealData(dataDir: string): void {
  if (!existsSync(join(dataDir, 'store')) || readTestClock(dataDir) !== undefined) return;
  throw new AppError('CONFIG_INVALID', {
    message:
      '--test-control needs a data directory of its own: this one is of a server with the real ' +
      'clock.',
    data: { data_dir: dataDir },
  });
}

function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
