import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file atomically. */
export function writeAtomically(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
