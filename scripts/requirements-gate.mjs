// Holds the requirement rows against the specifications and against what a test run proved:
// `node scripts/requirements-gate.mjs [--run <folder>] [--long]`. Without --run, rows only.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './lib/checkout.mjs';
import { importTypeScript } from './lib/typescript-module.mjs';
import { INDEX, readUnits, specFolder } from './spec-units.mjs';

const SHOWN_MAX = 60;

const { requirements } = await importTypeScript('test/requirements.ts');
const { judgeClaims, judgeRows } = await importTypeScript('test/requirements/gate.ts');
const units = await unitMarks();
const rowFaults = [...judgeRows(requirements, units), ...indexFaults(), ...chosenFaults()];
const faults = [...rowFaults, ...runFaults()];
const shown = faults.slice(0, SHOWN_MAX).map((line) => `${line}\n`);
if (faults.length > SHOWN_MAX) shown.push(`… and ${faults.length - SHOWN_MAX} more\n`);
process.stdout.write([...shown, `${counts()}; ${faults.length} faults\n`].join(''));
process.exitCode = faults.length === 0 ? 0 : 1;

async function unitMarks() {
  const folder = specFolder();
  const units = await readUnits(folder);
  if (units !== undefined) return units;
  process.stdout.write(`No specifications in ${folder}: rows are held against the index.\n`);
  return Object.entries(readIndex()).map(([id, hash]) => ({ id, hash }));
}

function indexFaults() {
  const index = readIndex();
  const isCurrent =
    units.length === Object.keys(index).length &&
    units.every((unit) => index[unit.id] === unit.hash);
  return isCurrent ? [] : ['the index is out of date: node scripts/spec-units.mjs --index'];
}

function readIndex() {
  return JSON.parse(readFileSync(INDEX, 'utf8'));
}

function chosenFaults() {
  return requirements
    .filter((row) => row.chosen !== undefined && !existsSync(join(CHECKOUT, row.chosen)))
    .map((row) => `${row.id}: ${row.chosen} does not exist`);
}

function runFaults() {
  const at = process.argv.indexOf('--run');
  if (at < 0) return [];
  const file = join(process.argv[at + 1] ?? '', 'claims.jsonl');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const claims = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return judgeClaims(requirements, claims, process.argv.includes('--long'));
}

function counts() {
  const proven = requirements.filter((row) => 'test' in row.status).length;
  const later = requirements.filter((row) => 'deferred' in row.status).length;
  const plain = requirements.length - proven - later;
  return `${requirements.length} units: ${proven} with tests, ${later} for later, ${plain} context`;
}
