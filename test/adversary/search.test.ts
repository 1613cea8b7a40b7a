import { expect, test } from 'vitest';
import { search, searchMs } from './search.ts';

test('a failed attempt names the seed that plays it again', async () => {
  const seen: number[] = [];
  const play = ({ round, random }: { round: number; random: () => number }): void => {
    const drawn = random();
    if (round !== 3) return;
    seen.push(drawn);
    throw new Error('through');
  };
  const fault = await search('guest', play, { roundsMax: 9 }).catch((thrown: Error) => thrown);
  const [, seed] = /STOA_ADVERSARY_SEED=(\S+)\)/.exec(String(fault)) ?? [];
  process.env['STOA_ADVERSARY_SEED'] = seed;
  try {
    await expect(search('guest', play)).rejects.toThrow('through');
  } finally {
    delete process.env['STOA_ADVERSARY_SEED'];
  }
  expect(seen[1]).toBe(seen[0]);
});

test('attempts grow while time passes', async () => {
  process.env['STOA_ADVERSARY_S'] = '0.2';
  const sizes: number[] = [];
  try {
    await search('guest', async ({ size }) => {
      sizes.push(size);
      await new Promise((done) => setTimeout(done, 10));
    });
  } finally {
    delete process.env['STOA_ADVERSARY_S'];
  }
  expect(sizes[0]).toBeLessThan(10);
  expect(sizes.at(-1)).toBeGreaterThan(40);
});

test('eight attackers have five minutes in CI and twenty in the long run', () => {
  expect(searchMs({ CI: 'true' }) * 8).toBe(300_000);
  expect(searchMs({ CI: 'true', STOA_LONG: '1' }) * 8).toBe(300_000);
  expect(searchMs({ CI: 'true', STOA_LONG: 'all' }) * 8).toBe(1_200_000);
});
