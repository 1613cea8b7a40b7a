import { expect, test } from 'vitest';
import {
  FEE_TABLE_SOURCE,
  findVenue,
  NAMED_VENUE_IDS,
} from '../../../src/domain/market/venue/venues.ts';

type Module = {
  default: {
    new (): { readonly fees: { readonly trading: { readonly taker: number } } };
  };
};

async function takerOf(venue: string): Promise<string> {
  const url = new URL(`./src/${venue}.js`, import.meta.resolve('ccxt')).href;
  const { default: Exchange } = (await import(/* @vite-ignore */ url)) as Module;
  return String(Number((new Exchange().fees.trading.taker * 10_000).toFixed(4)));
}

test('taker fees of further exchanges are those of the table that is named', async () => {
  expect(FEE_TABLE_SOURCE).toBe('ccxt@4.5.84');
  for (const venue of NAMED_VENUE_IDS.filter((name) => name !== 'bybit')) {
    expect(findVenue(venue)?.takerFeeBps, venue).toBe(await takerOf(venue));
  }
  // Its row there is that of derivatives.
  expect([findVenue('bybit')?.takerFeeBps, await takerOf('bybit')]).toEqual([undefined, '7.5']);
});
