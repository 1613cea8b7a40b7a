import { expect, test } from 'vitest';
import type { PaymentRequirements } from '../../../src/domain/payment/payment.ts';
import { createOfferSigner, OFFERS_KEPT_MAX } from '../../../src/tools/payment/signed-offers.ts';

const MINUTE = 60_000;
const offer: PaymentRequirements = {
  scheme: 'exact',
  network: 'eip155:1',
  amount: '1',
  asset: '0xa',
  payTo: '0xb',
  maxTimeoutSeconds: 300,
  extra: {},
};

function signer() {
  const asked: [url: string, validUntil: number][] = [];
  const clock = { at: 0, fails: false };
  const sign = createOfferSigner({
    clock: { now: () => clock.at },
    chain: {
      signOffer: async (_offer, url, validUntil) => {
        asked.push([url, validUntil]);
        if (clock.fails) throw new Error('no key');
        return { format: 'eip712', signature: `${url} ${validUntil}` };
      },
    },
  });
  return { asked, clock, sign };
}

test('an offer is signed once in ten minutes, and holds ten to twenty', async () => {
  const { asked, clock, sign } = signer();
  const first = await sign(offer, 'a');
  expect(first['offer-receipt'].info.offers).toEqual([
    { acceptIndex: 0, format: 'eip712', signature: `a ${20 * MINUTE}` },
  ]);
  clock.at = 10 * MINUTE - 1;
  expect(await sign(offer, 'a')).toEqual(first);
  expect(asked).toHaveLength(1);
  await sign({ ...offer, amount: '2' }, 'a');
  await sign(offer, 'b');
  clock.at = 10 * MINUTE;
  await sign(offer, 'a');
  expect(asked.slice(1)).toEqual([
    ...[
      ['a', 20 * MINUTE],
      ['b', 20 * MINUTE],
      ['a', 30 * MINUTE],
    ],
  ]);
});

test('the end of an offer never reads like a login error', async () => {
  const { asked, clock, sign } = signer();
  const starts = [1_794_009_000, 1_796_540_000, 1_796_401_000, 1_840_099_800];
  for (const seconds of starts) {
    clock.at = seconds * 1_000;
    await sign(offer, 'a');
  }
  const ends = asked.map(([, validUntil]) => validUntil / 1_000);
  expect(ends).toEqual([1_794_020_400, 1_796_541_000, 1_796_402_400, 1_840_200_000]);
});

test('so many are kept, and one that failed is not', async () => {
  const { asked, clock, sign } = signer();
  for (let n = 0; n < OFFERS_KEPT_MAX + 1; n += 1) await sign(offer, `url ${n}`);
  await sign(offer, 'url 0');
  expect(asked).toHaveLength(OFFERS_KEPT_MAX + 2);
  clock.fails = true;
  await expect(sign(offer, 'new')).rejects.toThrow('no key');
  clock.fails = false;
  await sign(offer, 'new');
  expect(asked.filter(([url]) => url === 'new')).toHaveLength(2);
});
