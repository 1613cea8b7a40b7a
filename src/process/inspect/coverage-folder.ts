import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { CoverageReport } from '../../domain/inspect/coverage.ts';

/** Most reports that are read, newest first. */
const REPORTS_MAX = 100;
/** Largest report that is read, in bytes. */
const REPORT_BYTES_MAX = 1_048_576;

const Counts = z.record(z.string().max(512), z.int().nonnegative());

const Report = z.object({
  kind: z.string().max(64),
  version: z.int(),
  title: z.string().max(200),
  at: z.number(),
  paths: z.int().nonnegative(),
  states: Counts,
  transitions: Counts,
});

/** Reads the reports that the testing kit left in a folder, newest first. Skips invalid ones. */
export async function readCoverage(folder: string): Promise<readonly CoverageReport[]> {
  const names = await readdir(folder).catch(() => []);
  const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(folder, name));
  const known = await Promise.all(paths.map(statFile));
  const files = known
    .filter((file) => file !== undefined && file.size <= REPORT_BYTES_MAX)
    .sort((a, b) => (b?.mtimeMs ?? 0) - (a?.mtimeMs ?? 0))
    .slice(0, REPORTS_MAX);
  const reports = await Promise.all(files.map((file) => readReport(file?.path ?? '')));
  return reports.filter((report) => report !== undefined);
}

async function statFile(path: string) {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true ? { path, size: found.size, mtimeMs: found.mtimeMs } : undefined;
}

async function readReport(path: string): Promise<CoverageReport | undefined> {
  try {
    return Report.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
