import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { TOOL_NAMES } from '../tidy/tool-names.ts';

const FOLDER = 'test/tools';
/** Tools that answer from a source outside: an upstream, a page, a feed or a model. */
const READING =
  /^((content|crypto|data|ops|oracle|research|translation)_|procurement_vendor-vetting$)/;

const tests = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => ({ name: basename(path), text: readFileSync(`${FOLDER}/${path}`, 'utf8') }));

test.each(TOOL_NAMES.commerce.filter((name) => READING.test(name)))(
  '%s has a table of all faults of its sources, each without a charge',
  (tool) => {
    const about = tests.filter(({ name, text }) => {
      return name.startsWith(`${tool}.`) || text.includes(`/${tool}.ts'`);
    });
    const tables = about.filter(
      ({ text }) => /test\.each\((FAULTS|CASES|ASKED)\b/.test(text) && text.includes('FAULTS'),
    );
    expect(tables.filter(({ text }) => /charged/.test(text))).not.toEqual([]);
  },
);
