import { readdirSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { openToken, readToken } from '../../../src/process/server/token-file.ts';
import { tempDir } from '../../support/temp-dir.ts';

function dataDir(): string {
  const { path, remove } = tempDir();
  onTestFinished(remove);
  return path;
}

test('the first one makes it, for its user only; every later one reads the same', () => {
  const folder = dataDir();
  const first = openToken(folder);
  expect(first.token).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(first.path).mode & 0o777).toBe(0o600);
  expect([openToken(folder).token, readToken(folder)]).toEqual([first.token, first.token]);
  expect(readdirSync(folder)).toEqual(['token']);
});

test('who only reads it makes none', () => {
  const folder = dataDir();
  expect(() => readToken(folder)).toThrowError(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  expect(readdirSync(folder)).toEqual([]);
});

test('only the whole token is valid', () => {
  const { token, isValid } = openToken(dataDir());
  expect(isValid(token)).toBe(true);
  for (const wrong of ['', token.slice(1), `${token}0`, '0'.repeat(64)]) {
    expect(isValid(wrong)).toBe(false);
  }
});

test('keys are drawn from it, one for each purpose, the same after every start', () => {
  const folder = dataDir();
  const { keyFor } = openToken(folder);
  expect(keyFor('one')).toHaveLength(32);
  expect(openToken(folder).keyFor('one')).toEqual(keyFor('one'));
  expect(keyFor('two')).not.toEqual(keyFor('one'));
  expect(openToken(dataDir()).keyFor('one')).not.toEqual(keyFor('one'));
});
