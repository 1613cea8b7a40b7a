import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';

/** Reads a text file; returns `undefined` if it cannot be read. */
export function tryReadText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Replaces a file: after a crash of the process, it has the old content or the new one. */
export function writeAtomically(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Replaces a file like {@link writeAtomically}, and syncs the new content before that. */
export function writeAtomicallySynced(file: string, bytes: Buffer): void {
  const draft = openSync(`${file}.new`, 'w', 0o600);
  writeSync(draft, bytes);
  fsyncSync(draft);
  closeSync(draft);
  renameSync(`${file}.new`, file);
}
