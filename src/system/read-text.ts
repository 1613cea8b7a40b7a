import { readFileSync } from 'node:fs';

/** Reads a text file; returns `undefined` if it cannot be read. */
export function readTextIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
