import { expect, test } from 'vitest';
import type { RpcRefusal } from '../../../src/providers/chain/chain-rpc.ts';
import {
  askWithRetries,
  classifyNodeError,
  type NodeError,
} from '../../../src/providers/chain/node-error.ts';

/** Texts as the nodes write them, and public gateways in front of them. */
const ANSWERS: readonly (readonly [NodeError, string, number?])[] = [
  // Geth
  ['known', 'already known'],
  ['nonce_used', 'nonce too low: next nonce 7, tx nonce 5'],
  ['nonce_taken', 'replacement transaction underpriced'],
  ['unpaid', 'transaction underpriced: gas tip cap 0, minimum needed 1'],
  ['unpaid', 'insufficient funds for gas * price + value: balance 0, tx cost 1'],
  ['unpaid', 'max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1'],
  ['unpaid', 'gas required exceeds allowance (0)'],
  ['passing', 'header not found'],
  ['passing', 'missing trie node 5d0c (path )'],
  ['passing', 'execution aborted (timeout = 5s)'],
  ['passing', 'txpool is full'],
  ['reverted', 'execution reverted', 3],
  ['reverted', 'execution reverted: FiatToken: account is blacklisted', 3],
  // Erigon, Nethermind, Besu, Reth, Anvil
  ['known', 'ALREADY_EXISTS: already known'],
  ['known', 'AlreadyKnown', -32_010],
  ['nonce_used', 'OldNonce, Current nonce: 3, nonce of rejected tx: 2', -32_010],
  ['known', 'Known transaction', -32_000],
  ['nonce_used', 'Nonce too low', -32_000],
  ['nonce_taken', 'Replacement transaction underpriced', -32_000],
  ['nonce_taken', 'could not replace existing tx: another with the same nonce pays more'],
  ['nonce_ahead', 'nonce too high', -32_003],
  ['nonce_ahead', 'Transaction nonce is too high: nonce gap', -32_000],
  ['reverted', 'VM execution error: Reverted 0x08c379a0', -32_015],
  ['reverted', 'Out of gas: gas required exceeds allowance: 300000', -32_003],
  ['unpaid', 'Insufficient funds for gas * price + value', -32_003],
  // Gateways
  ['passing', 'request rate limited', -32_005],
  ['passing', 'daily request count exceeded; reverted to the free tier', -32_005],
  ['passing', 'Too Many Requests', 429],
  ['passing', 'Internal error', -32_603],
  ['passing', 'upstream timed out', -32_603],
  ['passing', 'block is out of range', -32_001],
  ['passing', ''],
];

for (const [meaning, message, code] of ANSWERS) {
  test(`${meaning}: ${message} ${code ?? ''}`, () => {
    const coded = code === undefined ? {} : { code };
    const refusal: RpcRefusal = { message, data: undefined, ...coded };
    expect(classifyNodeError(refusal)).toBe(meaning);
  });
}

test('revert data is a refusal of the contract whatever the text says', () => {
  expect(classifyNodeError({ message: 'Internal error', data: '0x08c379a0' })).toBe('reverted');
});

test('a passing error is asked again; a verdict is not, and an end without an answer is told', async () => {
  const answers = ['header not found', 'request rate limited', 'execution reverted'];
  let asked = 0;
  const verdict = await askWithRetries(async () => {
    const message: string = answers[asked] ?? 'asked too often';
    asked += 1;
    return { ok: false, refusal: { message, data: undefined } } as const;
  });
  expect([asked, verdict]).toMatchObject([3, { refusal: { message: 'execution reverted' } }]);
  let tries = 0;
  const broken = askWithRetries(async () => {
    tries += 1;
    throw new Error('connection reset');
  });
  await expect(broken).rejects.toThrow('connection reset');
  expect(tries).toBeGreaterThan(2);
});
