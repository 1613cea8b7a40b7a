import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { STATEMENT_KINDS } from '../../src/process/proofs.ts';

const FOLDER = 'src/tools/commerce';

test('every tool that answers in the envelope leaves the proof that its answer names', () => {
  const answering = readdirSync(FOLDER).filter((file) =>
    /\b(dataAnswer|sentimentAnswer|linkAnswer|reportTool)\(/.test(
      readFileSync(`${FOLDER}/${file}`, 'utf8'),
    ),
  );
  expect(answering.length).toBeGreaterThan(10);
  const without = answering.filter((file) => STATEMENT_KINDS[file.replace(/\.ts$/, '')] !== 30022);
  expect(without).toEqual([]);
});
