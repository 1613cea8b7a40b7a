import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDecimal, isDecimal, parseDecimal } from '../../../src/domain/common/decimal.ts';
import {
  computeOffsetBps,
  divideDecimals,
  toPlainDecimal,
  toPositiveDecimal,
} from '../../../src/domain/market/plain-decimal.ts';
import {
  computePoolPrice,
  computeSpreadBps,
  groupByPool,
  type PoolRecord,
  selectPools,
} from '../../../src/domain/market/pools.ts';

const ONE = 10n ** 18n;
// Prices from 10^-9 to 10^9 dollars.
const price = fc.bigInt({ min: 10n ** 9n, max: 10n ** 27n }).map(formatDecimal);

function pool(over: Partial<PoolRecord>): PoolRecord {
  return {
    chain: 'ethereum',
    dex: 'uniswap',
    pool: '0x01',
    side: 'base',
    symbol: 'WETH',
    price: '3000',
    liquidity: '1000000',
    volume: null,
    upstream: 'dexscreener',
    source: 's1',
    asOf: 0,
    ...over,
  };
}

test('numerals of upstreams become plain decimals, cut and never rounded up', () => {
  const cases: readonly (readonly [number | string, string | undefined])[] = [
    [3010.5, '3010.5'],
    ['3010.957712345678901234567', '3010.957712345678901234'],
    ['0.0000000021245208116085', '0.000000002124520811'],
    [1.2e-7, '0.00000012'],
    ['1.5E+3', '1500'],
    [9e21, '9000000000000000000000'],
    ['00012.50', '12.5'],
    ['1e-30', '0'],
    ['1e40', undefined],
    ['-3.5', '-3.5'],
    ...['', 'NaN', 'Infinity', '1,000', '0x10', '.5', '5.', ' 5', '١'].map(
      (text) => [text, undefined] as const,
    ),
  ];
  for (const [given, wanted] of cases) expect(toPlainDecimal(given), String(given)).toBe(wanted);
  for (const none of [0, -1, 'NaN', null, undefined, {}, '0.0', '1e-30']) {
    expect(toPositiveDecimal(none)).toBeUndefined();
  }
});

test('a finite number keeps its value, and a plain decimal stays as it is', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (number) => {
      const plain = toPlainDecimal(number) ?? '';
      expect(isDecimal(plain)).toBe(true);
      expect(Math.abs(Number(plain) - number)).toBeLessThanOrEqual(number * 1e-8);
    }),
  );
  fc.assert(
    fc.property(price, (text) => {
      expect(toPlainDecimal(text)).toBe(text);
    }),
  );
});

test('the price of a quote side times the price in it is that of the base side', () => {
  fc.assert(
    fc.property(price, price, (usd, native) => {
      const inverted = divideDecimals(usd, native);
      if (inverted === undefined) return;
      const back = (parseDecimal(inverted) * parseDecimal(native)) / ONE;
      // One place of the quotient is cut, so that much of the native price can be lost.
      expect(parseDecimal(usd) - back).toBeLessThanOrEqual(parseDecimal(native) / ONE + 1n);
      expect(back).toBeLessThanOrEqual(parseDecimal(usd));
    }),
  );
  expect(divideDecimals('1', '0')).toBeUndefined();
});

test('a price of pools lies between theirs, and knows no order', () => {
  const pools = fc.array(fc.record({ price, liquidity: price }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(pools, (rows) => {
      const seen = groupByPool(rows.map((row, index) => pool({ ...row, pool: `0x${index}` })));
      const found = computePoolPrice(seen);
      const prices = rows.map((row) => parseDecimal(row.price)).sort((a, b) => (a < b ? -1 : 1));
      expect(parseDecimal(found)).toBeGreaterThanOrEqual(prices[0] ?? 0n);
      expect(parseDecimal(found)).toBeLessThanOrEqual(prices.at(-1) ?? 0n);
      expect(computePoolPrice([...seen].reverse())).toBe(found);
    }),
  );
});

test('no pool alone sets the price, whatever its liquidity', () => {
  const small = fc.array(price, { minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(small, (prices) => {
      const rows = prices.map((one, index) => pool({ price: one, pool: `0x${index}` }));
      const deep = pool({ pool: '0xdeep', liquidity: '100000000', price: '3000' });
      const found = parseDecimal(computePoolPrice(groupByPool([...rows, deep])));
      const sorted = prices.map(parseDecimal).sort((a, b) => (a < b ? -1 : 1));
      expect(found).toBeGreaterThanOrEqual(sorted[0] ?? 0n);
      expect(found).toBeLessThanOrEqual(sorted.at(-1) ?? 0n);
    }),
  );
});

test('pools are judged by every upstream that tells of them', () => {
  const readings = [
    pool({ pool: '0xAA' }),
    pool({ pool: '0xaa', upstream: 'geckoterminal', price: '3059.99' }),
    pool({ pool: '0xbb' }),
    pool({ pool: '0xBB', upstream: 'geckoterminal', price: '3060.31' }),
    pool({ pool: '0xcc' }),
    pool({ pool: '0xcc', upstream: 'geckoterminal', liquidity: '49999.99' }),
  ];
  const { used, dropped } = selectPools(groupByPool(readings), '50000');
  expect(used.map(({ first }) => first.pool)).toEqual(['0xAA']);
  expect(dropped.map(({ pool: { first }, reason }) => [first.pool, reason])).toEqual([
    ['0xbb', 'sources_disagree'],
    ['0xcc', 'below_liquidity_floor'],
  ]);
});

test('a pool far off the middle of its chain is an outlier, and another chain is another market', () => {
  const near = ['3000', '3001', '3002', '3003'].map((one, index) =>
    pool({ pool: `0x${index}`, price: one }),
  );
  const far = pool({ pool: '0xfa', price: '3300' });
  const { used, dropped } = selectPools(groupByPool([...near, far]), '50000');
  expect([used.length, dropped[0]?.pool.first.pool, dropped[0]?.reason]).toEqual([
    4,
    '0xfa',
    'outlier',
  ]);
  const elsewhere = selectPools(groupByPool([...near, { ...far, chain: 'base' }]), '50000');
  expect(elsewhere.dropped).toEqual([]);
});

test('the letters of an address are alike on chains of Ethereum, and not on Solana', () => {
  const twice = (chain: 'ethereum' | 'solana') =>
    groupByPool([pool({ chain, pool: '0xAb' }), pool({ chain, pool: '0xaB' })]).length;
  expect([twice('ethereum'), twice('solana')]).toEqual([1, 2]);
});

test('distances are in hundredths of a percent of the price that is measured from', () => {
  expect(computeOffsetBps('101', '100')).toBe('100');
  expect(computeOffsetBps('99', '100')).toBe('-100');
  expect(computeSpreadBps(['103', '100', '102'])).toBe('300');
  expect(computeSpreadBps(['100'])).toBe('0');
});
