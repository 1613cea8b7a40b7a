import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import type { ArmedFault } from './fault-injection.ts';
import { PersistentFaults } from './test-control-commands.ts';

/** The file with the time of a test server's clock. */
const TEST_CLOCK_FILE = 'test-clock.json';

/** The file with the persistent faults of test servers in a data directory. */
const TEST_FAULTS_FILE = 'test-faults.json';

const Kept = z.strictObject({ at: z.int().min(0) });

/**
 * Reads the time of a test server's clock, in milliseconds. Returns `undefined` without one.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged.
 */
export function readTestClock(dataDir: string): number | undefined {
  const file = join(dataDir, TEST_CLOCK_FILE);
  if (!existsSync(file)) return undefined;
  const kept = Kept.safeParse(readJson(file));
  if (kept.success) return kept.data.at;
  throw new AppError('CONFIG_INVALID', {
    message: `${TEST_CLOCK_FILE} in the data directory is damaged: it must contain {"at": <ms>}.`,
    data: { file: TEST_CLOCK_FILE },
  });
}

/** Stores the time of the clock. A crash leaves the earlier time or this one. */
export function writeTestClock(dataDir: string, at: number): void {
  const file = join(dataDir, TEST_CLOCK_FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify({ at })}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Reads the persistent faults of the last test server.
 *
 * @throws {AppError} `CONFIG_INVALID` when the file is damaged.
 */
export function readTestFaults(dataDir: string): readonly ArmedFault[] {
  const file = join(dataDir, TEST_FAULTS_FILE);
  if (!existsSync(file)) return [];
  const kept = PersistentFaults.safeParse(readJson(file));
  if (kept.success) return kept.data;
  throw new AppError('CONFIG_INVALID', {
    message: `${TEST_FAULTS_FILE} in the data directory is damaged: it must be a list of faults.`,
    data: { file: TEST_FAULTS_FILE },
  });
}

/** Stores faults for the next test server. A crash leaves the earlier list or this one. */
export function writeTestFaults(dataDir: string, faults: readonly ArmedFault[]): void {
  const file = join(dataDir, TEST_FAULTS_FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(faults)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/**
 * Rejects the data directory of a test server, for a server with the real clock.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function rejectTestData(dataDir: string): void {
  if (readTestClock(dataDir) === undefined) return;
  throw new AppError('CONFIG_INVALID', {
    message:
      'The data directory belongs to a test server with a simulated clock. Start it with ' +
      '--test-control, or choose another directory.',
    data: { data_dir: dataDir, file: TEST_CLOCK_FILE },
  });
}

/**
 * Rejects the data directory of a server with the real clock, for a test server.
 *
 * @throws {AppError} `CONFIG_INVALID`
 */
export function rejectRealData(dataDir: string): void {
  if (!existsSync(join(dataDir, 'store')) || readTestClock(dataDir) !== undefined) return;
  throw new AppError('CONFIG_INVALID', {
    message:
      '--test-control requires its own data directory: this one belongs to a server with the ' +
      'real clock.',
    data: { data_dir: dataDir },
  });
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
