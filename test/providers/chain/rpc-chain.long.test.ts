import { keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PaymentRequirements } from '../../../src/domain/payment/payment.ts';
import {
  type NodePaymentChain,
  openPaymentChain,
} from '../../../src/providers/payment/payment-chain.ts';
import { encodeTransfer } from '../../../src/providers/payment/token.ts';
import { nodeRpc, type RpcProxy, rpcProxy, sendAsStranger } from '../../support/node-rpc.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';
import { tempDir } from '../../support/temp-dir.ts';

const ETHER = toHex(10n ** 18n);
const folder = tempDir();
const operatorKey = generatePrivateKey();
let bank: NodePaymentChain;
let proxy: RpcProxy;
let chain: NodePaymentChain;
let offer: PaymentRequirements;

beforeAll(async () => {
  const common = { dataDir: folder.path, now: Date.now };
  bank = await openPaymentChain({ kind: 'local', ...common, notice: () => undefined });
  proxy = await rpcProxy(bank.facts.rpcUrl);
  await nodeRpc(bank.facts.rpcUrl, 'anvil_setBalance', operator(), ETHER);
  chain = await openPaymentChain({
    kind: 'rpc',
    ...common,
    operatorKey,
    rpcUrl: proxy.url,
    token: bank.facts.token,
    patience: { everyMs: 20, totalMs: 300 },
    timeoutMs: 2_000,
    confirmations: 1,
  });
  offer = requirementsOf(chain.facts);
}, 120_000);

beforeEach(() => proxy.heal());

afterAll(async () => {
  await chain.close();
  await proxy.close();
  await bank.close();
  folder.remove();
});

test('the local check asks the node nothing and the chain check asks once', async () => {
  const payer = await funded();
  const payload = await payer.pay(offer);
  proxy.taken();
  expect(chain.checkLocally(payload, offer, Date.now())).toBeUndefined();
  expect(proxy.taken()).toEqual([]);
  expect(await chain.checkOnChain(payload)).toBeUndefined();
  expect(proxy.taken()).toEqual([['eth_call', 'eth_call', 'eth_call']]);
});

test('one authorization settled three times at once is sent once', async () => {
  const payload = await (await funded()).pay(offer);
  proxy.taken();
  await Promise.all([1, 2, 3].map(() => chain.settle(payload)));
  const sent = proxy
    .taken()
    .flat()
    .filter((method) => method === 'eth_sendRawTransaction');
  expect(sent).toHaveLength(1);
});

test('a faucet is refused on a chain that is not ours', async () => {
  await expect(chain.faucet(operator(), '1')).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
});

describe('with a node that loses messages', () => {
  test('a lost answer is unknown with the hash, and looking up finds the money moved', async () => {
    const payer = await funded();
    const payload = await payer.pay(offer);
    proxy.lose('eth_sendRawTransaction', 'after');
    const outcome = await chain.settle(payload);
    expect(outcome).toMatchObject({ state: 'unknown', transaction: expect.any(String) });
    proxy.heal();
    expect(await chain.queryOutcome(payload)).toMatchObject({
      state: 'settled',
      transaction: 'transaction' in outcome && outcome.transaction,
    });
    expect(await chain.balance(payer.address)).toBe('750000');
  });

  test('a receipt that never comes is unknown with the hash', async () => {
    const payer = await funded();
    const payload = await payer.pay(offer);
    proxy.lose('eth_getTransactionReceipt', 'after');
    const outcome = await chain.settle(payload);
    expect(outcome).toMatchObject({ state: 'unknown', transaction: expect.any(String) });
    proxy.heal();
    expect(await chain.settle(payload)).toMatchObject({ state: 'settled' });
    expect(await chain.balance(payer.address)).toBe('750000');
  });

  test('a lost request leaves the money, and later payments go through', async () => {
    const payer = await funded();
    const [lost, later] = [await payer.pay(offer), await payer.pay(offer)];
    proxy.lose('eth_sendRawTransaction', 'before');
    expect((await chain.settle(lost)).state).toBe('unknown');
    proxy.heal();
    expect(await chain.queryOutcome(lost)).toEqual({ state: 'unspent' });
    expect((await chain.settle(later)).state).toBe('settled');
    expect((await chain.settle(lost)).state).toBe('settled');
    expect(await chain.balance(payer.address)).toBe('500000');
  });

  test('a node that is gone makes checks fail by name and settling unknown', async () => {
    const payload = await (await funded()).pay(offer);
    for (const method of ['eth_call', 'eth_estimateGas']) proxy.lose(method, 'before');
    await expect(chain.checkOnChain(payload)).rejects.toMatchObject({ code: 'CHAIN_UNAVAILABLE' });
    expect(await chain.settle(payload)).toMatchObject({ state: 'unknown', transaction: null });
  });
});

describe('with others who hold the authorization', () => {
  test('a settlement by a stranger counts as paid, with the stranger’s transaction', async () => {
    const payer = await funded();
    const payload = await payer.pay(offer);
    const hash = await sendToToken(encodeTransfer(payload.payload));
    const settled = { state: 'settled', transaction: hash };
    expect(await chain.queryOutcome(payload)).toMatchObject(settled);
    expect(await chain.settle(payload)).toMatchObject(settled);
    expect(await chain.balance(payer.address)).toBe('750000');
  });

  test('an authorization that the payer cancelled is spent and pays nothing', async () => {
    const payer = await funded();
    const payload = await payer.pay(offer);
    const { nonce } = payload.payload.authorization;
    await sendToToken(await cancellation(payer.privateKey, nonce));
    const failed = { state: 'failed', fault: { code: 'PAYMENT_REPLAYED' } };
    expect(await chain.queryOutcome(payload)).toMatchObject(failed);
    expect(await chain.settle(payload)).toMatchObject(failed);
    expect((await chain.checkOnChain(payload))?.code).toBe('PAYMENT_REPLAYED');
    expect(await chain.balance(payer.address)).toBe('1000000');
  });

  test('a wallet contract that vouches pays, and one that does not is forged', async () => {
    const wallet = createPayer();
    await bank.faucet(wallet.address, '1000000');
    const signature = `0x${'5a'.repeat(96)}`;
    const payload = await wallet.pay(offer, { signature });
    const setCode = (code: string) =>
      nodeRpc(bank.facts.rpcUrl, 'anvil_setCode', wallet.address, code);
    // Answers every call with zero, then with ERC-1271's magic value.
    await setCode('0x60206000f3');
    expect((await chain.checkOnChain(payload))?.code).toBe('PAYMENT_FORGED');
    await setCode('0x631626ba7e60e01b60005260206000f3');
    expect(await chain.checkOnChain(payload)).toBeUndefined();
    expect((await chain.settle(payload)).state).toBe('settled');
    expect(await chain.balance(wallet.address)).toBe('750000');
  });
});

test('a restart with the same folder finds an earlier settlement by its own journal', async () => {
  const payer = await funded();
  const payload = await payer.pay(offer);
  const settled = await chain.settle(payload);
  await chain.close();
  chain = await openPaymentChain({
    kind: 'rpc',
    dataDir: folder.path,
    now: Date.now,
    operatorKey,
    confirmations: 1,
    rpcUrl: proxy.url,
    token: bank.facts.token,
  });
  proxy.taken();
  expect(await chain.queryOutcome(payload)).toEqual(settled);
  expect(proxy.taken().flat()).not.toContain('eth_getLogs');
});

test('a token of another kind is refused at the start', async () => {
  await expect(
    openPaymentChain({
      kind: 'rpc',
      dataDir: folder.path,
      now: Date.now,
      operatorKey,
      rpcUrl: proxy.url,
      token: operator(),
    }),
  ).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

async function funded() {
  const payer = createPayer();
  await bank.faucet(payer.address, '1000000');
  return payer;
}

function operator() {
  return privateKeyToAccount(operatorKey).address;
}

function sendToToken(data: string): Promise<string> {
  const from = createPayer().address;
  return sendAsStranger(bank.facts.rpcUrl, { from, to: chain.facts.token, data });
}

async function cancellation(privateKey: `0x${string}`, nonce: string): Promise<string> {
  const { tokenName, tokenVersion, chainId, token } = chain.facts;
  const account = privateKeyToAccount(privateKey);
  const signature = await account.signTypedData({
    domain: {
      name: tokenName,
      version: tokenVersion,
      chainId,
      verifyingContract: token as `0x${string}`,
    },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: account.address, nonce: nonce as `0x${string}` },
  });
  const selector = keccak256(toHex('cancelAuthorization(address,bytes32,bytes)')).slice(0, 10);
  const word = (hex: string) => hex.slice(2).toLowerCase().padStart(64, '0');
  const bytes = `${word(toHex(65))}${signature.slice(2).padEnd(192, '0')}`;
  return `${selector}${word(account.address)}${word(nonce)}${word(toHex(96))}${bytes}`;
}
