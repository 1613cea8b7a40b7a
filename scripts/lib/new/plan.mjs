// What a new thing writes: whole texts by path, and what is left to do.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { addEntry, addImport } from './edit.mjs';
import { NewError, nameTaken } from './names.mjs';

/** Collects the files of one new thing in a checkout. Nothing is written before `save`. */
export class Plan {
  /** What is left to do by hand, a line each. */
  left = [];
  #root;
  #texts = new Map();
  #tests = new Set();

  constructor(root) {
    this.#root = root;
  }

  /** The paths of all written files, changed ones included. */
  get paths() {
    return [...this.#texts.keys()];
  }

  /** The places that somebody would touch by hand: all files without the thing's own test. */
  get places() {
    return this.paths.filter((path) => !this.#tests.has(path));
  }

  has(path) {
    return this.#texts.has(path) || existsSync(join(this.#root, path));
  }

  /** The text of a file, with what this plan changes. */
  read(path) {
    if (!this.has(path)) throw new NewError('PLACE_UNKNOWN', `${path} does not exist.`);
    const text = this.#texts.get(path) ?? readFileSync(join(this.#root, path), 'utf8');
    return { path, text };
  }

  /** The files below a folder, as paths from the root. */
  list(folder) {
    const names = readdirSync(join(this.#root, folder), { recursive: true, encoding: 'utf8' });
    return names.map((name) => `${folder}/${name}`);
  }

  create(path, text) {
    if (this.has(path)) throw nameTaken(path, 'the checkout');
    this.#texts.set(path, text);
  }

  change(path, edit) {
    this.#texts.set(path, edit(this.read(path)));
  }

  /** Adds a line to a list, and the import that it needs. */
  addLine(path, { list, entry, line, ...options }) {
    this.change(path, (file) => addEntry(file, list, entry, options));
    if (line !== undefined) this.change(path, (file) => addImport(file, line));
  }

  /**
   * Writes the thing's own test, which fails until somebody describes the behaviour.
   *
   * @param lines - Imports and statements that show how the thing is reached.
   */
  createTest(path, { name, imports = [], lines = [] }) {
    const what = name.replaceAll("'", '’');
    const begin = lines.some((line) => line.includes('await ')) ? 'async () =>' : '() =>';
    const text = [
      "import { expect, test } from 'vitest';",
      ...imports,
      '',
      `test('${what} does what it says', ${begin} {`,
      ...lines.map((line) => `  ${line}`),
      `  expect.fail('describe the behaviour of ${what} in this file');`,
      '});',
      '',
    ];
    this.create(path, text.join('\n'));
    this.#tests.add(path);
    this.left.push(`${path}: describe the behaviour`);
  }

  save() {
    for (const [path, text] of this.#texts) {
      mkdirSync(dirname(join(this.#root, path)), { recursive: true });
      writeFileSync(join(this.#root, path), text);
    }
  }
}
