import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployContracts } from '../../../../src/providers/chain/local/deploy-contracts.ts';
import { type SecondChain, secondChain } from '../../../support/second-chain.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const folder = tempDir();
let second: SecondChain;
beforeAll(async () => {
  second = await secondChain(0);
}, 60_000);
afterAll(async () => {
  await second.close();
  folder.remove();
});

const NAMES = ['identity', 'reputation', 'validation', 'escrow', 'anchor', 'prediction'];

test('what a chain lacks is deployed, and a second time nothing', async () => {
  const first = await deploy({});
  expect(first.chainId).toBe(8_453);
  // The public registries have their addresses there, but this chain is not that one.
  expect([...first.fresh].sort()).toEqual([...NAMES].sort());
  const { token: _token, ...contracts } = first.addresses;
  const again = await deploy(contracts);
  expect(again.fresh).toEqual([]);
  expect(again.addresses).toEqual(first.addresses);
});

test('only what is missing is deployed', async () => {
  const { escrow: _escrow, ...others } = second.contracts;
  const { fresh, addresses } = await deploy(others);
  expect(fresh).toEqual(['escrow']);
  expect(addresses.identity).toBe(second.contracts.identity);
});

test('an address that is set and holds nothing is refused by name', async () => {
  const nothing = `0x${'12'.repeat(20)}` as const;
  await expect(deploy({ escrow: nothing })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    data: { setting: 'STOA_ESCROW_ADDRESS', address: nothing },
  });
});

function deploy(contracts: SecondChain['contracts']) {
  const { rpcUrl, token, operatorKey } = second;
  const patience = { everyMs: 20, totalMs: 5_000 };
  const common = { rpcUrl, token, operatorKey, dataDir: folder.path, now: Date.now };
  return deployContracts({ ...common, contracts, patience });
}
