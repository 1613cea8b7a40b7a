import { readFileSync } from 'node:fs';

/** Reads a JSON file; `undefined` when there is none or it is damaged. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
