import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { STATEMENT_KINDS } from '../../src/process/proof/proofs.ts';

const FOLDER = 'src/tools';

test('every tool that answers in the envelope leaves the proof that its answer names', () => {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
  const answering = files
    .filter((file) => /_[^/]*\.ts$/.test(file))
    .filter((file) =>
      /\b(createDataResult|answerSentiment|createReportTool|toDataAnswer)\(/.test(
        readFileSync(`${FOLDER}/${file}`, 'utf8'),
      ),
    );
  expect(answering.length).toBeGreaterThan(10);
  const without = answering.filter((file) => STATEMENT_KINDS[basename(file, '.ts')] !== 30022);
  expect(without).toEqual([]);
});
