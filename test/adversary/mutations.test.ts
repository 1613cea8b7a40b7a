import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { applyEdit, readMutations } from './mutation.ts';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));

test.each(readMutations())('a fix stands where its mutation takes it out: $fault', ({ edits }) => {
  for (const edit of edits) {
    const text = readFileSync(`${CHECKOUT}${edit.file}`, 'utf8');
    expect(applyEdit(text, edit)).not.toBe(text);
  }
});

test('every mutation says which finding its fix has closed', () => {
  const mutations = readMutations();
  expect(mutations.length).toBeGreaterThan(0);
  for (const { finding } of mutations) expect(finding).toMatch(/^[a-z-]+ \w+$/);
});
