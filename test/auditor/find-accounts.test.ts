import type { Hex, PublicClient } from 'viem';
import { encodeAbiParameters, encodeEventTopics, numberToHex, parseAbi } from 'viem/utils';
import { expect, test } from 'vitest';
import type { Claim } from '../../src/auditor/event-claims.ts';
import { findAccounts } from '../../src/auditor/find-accounts.ts';

const TRANSFER = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
]);
const USED = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
]);
const REFUNDED = parseAbi([
  'event JobRefunded(bytes32 indexed key, address indexed buyer, uint256 amount)',
]);
const [TOKEN, ESCROW, TREASURY, PAYER, FAKE, THIEF] = ['1', '2', '3', '4', '5', '6'].map(
  (digit) => `0x${digit.repeat(40)}` as Hex,
) as [Hex, Hex, Hex, Hex, Hex, Hex];
const KEY = `0x${'9'.repeat(64)}` as const;

type Log = { readonly address: Hex; readonly topics: readonly unknown[]; readonly data: Hex };

/** A node that knows the receipts of some transactions, and whom an escrow pays. */
function nodeWith(receipts: ReadonlyMap<string, readonly Log[]>): PublicClient {
  const node = {
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      const logs = receipts.get(hash);
      if (logs === undefined) throw new Error('unknown');
      return { logs };
    },
    readContract: async ({ address, functionName }: { address: Hex; functionName: string }) => {
      if (address === FAKE) return FAKE;
      return functionName === 'token' ? TOKEN : TREASURY;
    },
    getBlockNumber: async () => 0n,
    getLogs: async () => [],
  };
  return node as unknown as PublicClient;
}

function refunded(address: Hex): Log {
  const topics = encodeEventTopics({ abi: REFUNDED, args: { key: KEY, buyer: PAYER } });
  return { address, topics, data: encodeAbiParameters([{ type: 'uint256' }], [5n]) };
}

function paid(token: Hex, to: Hex, amount = 5n): readonly Log[] {
  const used = encodeEventTopics({ abi: USED, args: { authorizer: PAYER, nonce: KEY } });
  const topics = encodeEventTopics({ abi: TRANSFER, args: { from: PAYER, to } });
  const data = encodeAbiParameters([{ type: 'uint256' }], [amount]);
  return [
    { address: token, topics: used, data: '0x' },
    { address: token, topics, data },
  ];
}

function claimIn(transaction: string): Claim {
  const place = { ref: 'r', seq: 0, transaction, isEscrow: true };
  return { ...place, type: 'job.refunded', amount: 5n, fee: 0n, price: 5n };
}

test('the escrow is what speaks in most transactions, whatever else speaks first in some', async () => {
  const receipts = new Map<string, readonly Log[]>();
  for (let at = 0; at < 10; at += 1) {
    const isWrapped = at >= 4;
    const all = isWrapped ? [refunded(FAKE), refunded(FAKE), refunded(ESCROW)] : [refunded(ESCROW)];
    receipts.set(numberToHex(at), all);
  }
  const jobs = [...receipts.keys()].map(claimIn);
  for (const claims of [jobs, jobs.toReversed()]) {
    const found = await findAccounts(nodeWith(receipts), { jobs: claims, payments: [] });
    expect(found).toEqual({ token: TOKEN, treasury: TREASURY, escrow: ESCROW });
  }
});

test('token and payee are those of most payments', async () => {
  const receipts = new Map<string, readonly Log[]>();
  for (let at = 0; at < 6; at += 1) {
    const own = paid(TOKEN, TREASURY);
    const wrapped = [...paid(FAKE, THIEF), ...paid(TOKEN, THIEF), ...own];
    // One that moves another amount is no payment at all.
    receipts.set(numberToHex(at), at % 2 === 0 ? [...paid(FAKE, TREASURY, 4n), ...own] : wrapped);
  }
  const payments = [...receipts.keys()].map(claimIn);
  const found = await findAccounts(nodeWith(receipts), { jobs: [], payments });
  expect(found).toEqual({ token: TOKEN, treasury: TREASURY, escrow: null });
});

test('a feed whose transactions the node does not know names no accounts', async () => {
  const named = { jobs: [claimIn('0x1')], payments: [claimIn('0x2')] };
  expect(await findAccounts(nodeWith(new Map()), named)).toBeUndefined();
});
