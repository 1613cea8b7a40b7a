import { expect, test } from 'vitest';
import { requireExternalWallet } from '../../../src/actors/escrow/board-common.ts';
import { tenDollars, type WorkWorld, workWorld } from '../../support/work-world.ts';

function ownAddresses({ chain }: WorkWorld): readonly string[] {
  const { contracts, operator } = chain.trust;
  const { token, treasury } = chain.facts;
  const named = Object.values(contracts).filter((address) => address !== null);
  return [...named, operator, token, treasury, `0x${'0'.repeat(40)}`];
}

test('no request names an address of the service as its provider, in any letters', async () => {
  const world = workWorld();
  const { board } = await world.start();
  const own = ownAddresses(world);
  expect(own.length).toBeGreaterThan(8);
  for (const [n, address] of own.entries()) {
    for (const provider of [address, address.toUpperCase().replace('0X', '0x')]) {
      const order = tenDollars('escrow', { provider });
      await expect(board.postRequest(order, world.buyer.call(`post ${n}`))).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        data: { path: 'provider', received: address.toLowerCase() },
      });
    }
  }
});

test('none of them posts or bids either, for either funding', async () => {
  const world = workWorld();
  const { board } = await world.start();
  for (const funding of ['escrow', 'on_release'] as const) {
    const open = await board.postRequest(tenDollars(funding), world.buyer.call(funding));
    for (const wallet of ownAddresses(world)) {
      const by = { wallet, key: `${wallet}:${funding}` };
      const data = { received: wallet.toLowerCase() };
      await expect(board.postRequest(tenDollars(funding), by)).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        data: { ...data, path: 'buyer' },
      });
      const bid = { priceMicroUsd: '10000000', note: '' };
      await expect(board.placeBid(open.request_id, bid, by)).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        data: { ...data, path: 'provider' },
      });
    }
    const { bids } = await board.readRequest(open.request_id);
    expect(bids).toEqual([]);
  }
});

test('a wallet beside them is taken, and the refusal says what the address is', () => {
  const { chain, provider } = workWorld();
  requireExternalWallet({ trust: chain.trust, chain }, 'provider', provider.wallet.address);
  const own = chain.trust.contracts.escrow ?? '';
  expect(() => requireExternalWallet({ trust: chain.trust, chain }, 'provider', own)).toThrow(
    'The provider is the escrow address of this server',
  );
});
