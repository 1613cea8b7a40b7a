import { expect, test } from 'vitest';
import type { ChainRpc } from '../../../src/providers/chain/chain-rpc.ts';
import {
  type ContractWalletDeps,
  createWalletSignatureCheck,
  gasLimitFault,
  WALLET_CHECKS_MAX,
} from '../../../src/providers/chain/wallet-contract.ts';

const WALLET = `0x${'ab'.repeat(20)}`;
const OPERATOR = `0x${'0e'.repeat(20)}` as const;
const DIGEST = new Uint8Array(32).fill(7);
const YES = `0x1626ba7e${'00'.repeat(28)}`;

function rpcOf(ask: ChainRpc['ask']): ChainRpc {
  return { ask, call: () => Promise.reject(new Error('only one question is asked')) };
}

function partsOf(rpc: ChainRpc): ContractWalletDeps {
  const operator = { address: OPERATOR, sign: () => '0x' as const };
  return {
    rpc,
    isLocal: false,
    accounts: { operator, treasury: operator },
    fees: async () => ({ maxFeePerGas: 5n, maxPriorityFeePerGas: 1n }),
  } as unknown as ContractWalletDeps;
}

test('a wallet contract is asked with a bound of gas', async () => {
  const asked: unknown[] = [];
  const rpc = rpcOf(async (...question) => {
    asked.push(question);
    return { ok: true, result: YES as never };
  });
  expect(await createWalletSignatureCheck(partsOf(rpc))(WALLET, DIGEST, '0x01')).toBe(true);
  expect(asked).toMatchObject([
    ['eth_call', [{ to: WALLET, gas: '0x249f0', maxFeePerGas: '0x5', from: OPERATOR }, 'latest']],
  ]);
  expect(await createWalletSignatureCheck(partsOf(rpc))(WALLET, DIGEST, 'no hex')).toBe(false);
  expect(asked).toHaveLength(1);
});

test.each(['0x', '0x1626ba7e', `${YES.slice(0, -1)}1`, `0xffffffff${'00'.repeat(28)}`])(
  'the answer %s is no signature',
  async (result) => {
    const rpc = rpcOf(async () => ({ ok: true, result: result as never }));
    expect(await createWalletSignatureCheck(partsOf(rpc))(WALLET, DIGEST, '0x01')).toBe(false);
  },
);

test('a wallet contract that does not answer in time is told as a chain that does not', async () => {
  const hasSigned = createWalletSignatureCheck(
    partsOf(rpcOf(() => new Promise(() => undefined))),
    20,
  );
  await expect(hasSigned(WALLET, DIGEST, '0x01')).rejects.toMatchObject({
    code: 'CHAIN_UNAVAILABLE',
    data: { wallet: WALLET },
  });
});

test('so many wallet contracts are asked at one time, and then again as many', async () => {
  let answer: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const rpc = rpcOf(async () => {
    await answered;
    return { ok: true, result: YES as never };
  });
  const hasSigned = createWalletSignatureCheck(partsOf(rpc));
  const ask = () => hasSigned(WALLET, DIGEST, '0x01');
  const all = Array.from({ length: WALLET_CHECKS_MAX }, ask);
  await expect(ask()).rejects.toMatchObject({
    code: 'OVERLOADED',
    data: { received: 64, allowed: 64 },
  });
  answer();
  expect(new Set(await Promise.all(all))).toEqual(new Set([true]));
  expect(await ask()).toBe(true);
});

test('too much gas is told from an operator without money for gas', () => {
  expect(
    gasLimitFault('Out of gas: gas required exceeds allowance: 2000000', 2_000_000),
  ).toMatchObject({
    code: 'GAS_LIMIT',
    data: { allowed: '2000000' },
  });
  expect(gasLimitFault('gas required exceeds allowance (2000000)', 2_000_000)?.code).toBe(
    'GAS_LIMIT',
  );
  expect(gasLimitFault('gas required exceeds allowance (0)', 2_000_000)).toBeUndefined();
  expect(gasLimitFault('execution reverted', 2_000_000)).toBeUndefined();
});
