import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes an empty folder and gives it with its remover. */
export function tempDir(parent = tmpdir()): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(parent, 'stoa-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
