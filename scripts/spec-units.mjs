// Lists the units of the two specifications: `node scripts/spec-units.mjs [folder] [--index]`.
// `--index` writes their ids and hashes into docs/requirements-index.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CHECKOUT } from './lib/checkout.mjs';
import { importTypeScript } from './lib/typescript-module.mjs';

const DOCUMENTS = { C: 'commerce-server.md', H: 'hosting-server.md' };

/** Where ids and hashes are kept for checkouts that have no specifications beside them. */
export const INDEX = join(CHECKOUT, 'docs', 'requirements-index.json');

/** The folder of the specifications: as given, else STOA_SPEC_DIR, else beside the checkout. */
export function specFolder(given = process.env.STOA_SPEC_DIR) {
  return resolve(given ?? join(CHECKOUT, '..', 'shared', 'spec'));
}

/** Cuts both specifications into units; nothing when the folder lacks one of them. */
export async function readUnits(folder) {
  const files = Object.entries(DOCUMENTS).map(([letter, name]) => [letter, join(folder, name)]);
  if (!files.every(([, file]) => existsSync(file))) return undefined;
  const { cutUnits } = await importTypeScript('test/requirements/units.ts');
  return files.flatMap(([letter, file]) => cutUnits(readFileSync(file, 'utf8'), letter));
}

async function main() {
  const folder = specFolder(process.argv.slice(2).find((word) => !word.startsWith('--')));
  const units = await readUnits(folder);
  if (units === undefined) {
    process.stderr.write(`No specifications in ${folder}.\n`);
    process.exitCode = 1;
  } else if (process.argv.includes('--index')) {
    const index = Object.fromEntries(units.map((unit) => [unit.id, unit.hash]));
    writeFileSync(INDEX, `${JSON.stringify(index, null, 2)}\n`);
    process.stdout.write(`${units.length} units\n`);
  } else {
    process.stdout.write(units.map((unit) => `${unit.id} ${unit.hash} ${unit.text}\n`).join(''));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
