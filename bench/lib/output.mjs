// Where the bench writes: one JSON line per measured leg, and words for whoever watches.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';

const OUT = new URL('../out/', import.meta.url);

/** A fresh `bench/out/<name>.jsonl`; the returned function appends a row to it. */
export function openRows(name) {
  mkdirSync(OUT, { recursive: true });
  const file = new URL(`${name}.jsonl`, OUT);
  rmSync(file, { force: true });
  const rows = [];
  const add = (row) => {
    rows.push(row);
    appendFileSync(file, `${JSON.stringify(row)}\n`);
  };
  return { rows, add };
}

/** An empty directory `bench/out/data-<name>` for a store; it goes when this process ends. */
export function scratch(name) {
  const path = new URL(`data-${name}`, OUT).pathname;
  const clear = () => rmSync(path, { recursive: true, force: true });
  clear();
  mkdirSync(path, { recursive: true });
  if (folders.size === 0) process.once('exit', clearAll);
  folders.add(clear);
  return { path, clear };
}

const folders = new Set();

function clearAll() {
  for (const clear of folders) clear();
}

/** A line for the person at the terminal. */
export function say(text) {
  process.stdout.write(`${text}\n`);
}
