import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { GAS_BUDGETS, type GasBudget } from '../../../src/providers/chain/trust/gas-budgets.ts';

test('docs/gas.md has the table of the code, row by row', () => {
  const text = readFileSync(new URL('../../../docs/gas.md', import.meta.url), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| `[a-z_]+` \|.*%/.test(line));
  const number = (value: number | undefined) => value?.toLocaleString('en-US') ?? '';
  const wanted = Object.entries(GAS_BUDGETS).map(([purpose, row]) => {
    const { percent, gasPerDay, gasPerCall, paysFor, ...rest }: GasBudget = row;
    const { gasPerWallet, failuresPerWallet } = rest;
    const cells = [
      ...[`\`${purpose}\``, paysFor, `${percent} %`, number(gasPerDay), number(gasPerWallet)],
      ...[number(failuresPerWallet), number(gasPerCall)],
    ];
    return `| ${cells.join(' | ')} |`;
  });
  expect(rows.map((row) => row.replace(/\|\s+(?=\|)/g, '|  '))).toEqual(
    wanted.map((row) => row.replace(/\|\s+(?=\|)/g, '|  ')),
  );
});
