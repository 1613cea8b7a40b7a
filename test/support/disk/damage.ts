import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';

const PAGE_BYTES = 4_096;

/** Ways in which a file is found damaged; `random` chooses where. */
export const DAMAGES = {
  deleted: (file) => rmSync(file),
  emptied: (file) => truncateSync(file, 0),
  // More than the line end of a file of one line, without which it is whole.
  'cut short': (file, random) =>
    truncateSync(file, Math.floor(random() * Math.max(1, statSync(file).size - 1))),
  'half written': (file, random) =>
    change(file, (bytes) => bytes.fill(0, Math.floor(random() * (bytes.length - 1)))),
  'with a page of zeros': (file, random) => change(file, (bytes) => pageOf(bytes, random).fill(0)),
  'with a page of noise': (file, random) =>
    change(file, (bytes) => {
      const page = pageOf(bytes, random);
      for (const at of page.keys()) page[at] = Math.floor(random() * 256);
    }),
  'with a bit flipped': (file, random) =>
    change(file, (bytes) => {
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    }),
  'a folder': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
  'a link to nowhere': (file) => {
    rmSync(file);
    symlinkSync(`${file}.gone`, file);
  },
} as const satisfies Record<string, (file: string, random: () => number) => void>;

/** Hashes of all files below a folder, to show that nothing was changed. */
export function hashTree(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const hashes = names.map((name) => {
    const path = join(folder, name);
    const isFile = lstatSync(path).isFile();
    const bytes = isFile ? readFileSync(path) : 'none';
    return [relative(folder, path), createHash('sha256').update(bytes).digest('hex')];
  });
  return Object.fromEntries(hashes);
}

function change(file: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  edit(bytes);
  writeFileSync(file, bytes);
}

function pageOf(bytes: Buffer, random: () => number): Buffer {
  const pages = Math.ceil(bytes.length / PAGE_BYTES);
  const at = Math.floor(random() * pages) * PAGE_BYTES;
  return bytes.subarray(at, at + PAGE_BYTES);
}
