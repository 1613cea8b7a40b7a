import { existsSync, readFileSync } from 'node:fs';
import type { z } from 'zod';
import { AppError } from '../../../domain/common/error.ts';
import { tryParseJson } from '../../../domain/common/json.ts';

/** Reads a JSON file. Returns `undefined` if it is missing or damaged. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Reads a file with one JSON text per line, or `[]` if there is no file. A last line without a line
 * end was being written when the process exited. It was never acknowledged, so it is skipped.
 *
 * @throws {AppError} `DATA_DAMAGED` naming the first other line that cannot be read.
 */
export function readJsonLines<T>(file: string, shape: z.ZodType<T>): T[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line, at) => {
    const parsed = shape.safeParse(tryParseJson(line));
    if (parsed.success) return parsed.data;
    throw new AppError('DATA_DAMAGED', {
      message: `Line ${at + 1} of ${lines.length} of ${file} cannot be read. ${RESTORE_HINT}`,
      data: { file, line: at + 1 },
    });
  });
}

const RESTORE_HINT = 'Restore the file from a copy of the data directory. Nothing was changed.';
