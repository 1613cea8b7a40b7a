import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ATTACKERS = [
  'tenant',
  'audit target',
  'payer',
  'caller',
  'upstream',
  'model',
  'repository',
  'disk',
];
const PAGE = readFileSync('docs/threat-model.md', 'utf8');
const rows = PAGE.split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))
  .filter(([who = '']) => who !== 'who' && !who.startsWith('---'));

test('every attacker has rows, and each row says what it can cost', () => {
  for (const attacker of ATTACKERS) {
    expect(
      rows.some(([who = '']) => who.includes(attacker)),
      attacker,
    ).toBe(true);
  }
  for (const row of rows) expect(row, row.join(' | ')).toHaveLength(4);
});

test.each(rows)(
  'the bound is shown by a test that exists: %s, %s',
  (_who, _what, _cost, shown = '') => {
    const named = [...shown.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
    expect(named.length, shown).toBeGreaterThan(0);
    for (const path of named) expect(existsSync(path), path).toBe(true);
  },
);
