import { hashTypedData } from 'viem';
import { expect, test } from 'vitest';
import {
  computeStatementDigest,
  verifyStatement,
} from '../../../src/domain/verification/statement.ts';
import { buildStatementData } from '../../../src/domain/wallet/statement.ts';
import { recoverSigner } from '../../../src/providers/chain/signature.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';

const NOW = Date.UTC(2026, 0, 1);
const { trust } = createMemoryPaymentChain({ now: () => NOW, balances: {} });
const payload = { b: 2, a: ['é', { z: null }] };
const file = {
  payload,
  statement: trust.signStatement({ kind: 'test', payload, issuedAt: NOW }),
};
const check = (value: unknown, signer?: string) =>
  verifyStatement(value, { recover: recoverSigner, ...(signer === undefined ? {} : { signer }) });

test('the digest is that of EIP-712', () => {
  const { kind, issued_at, payload_hash, signature } = file.statement;
  const data = buildStatementData(file.statement, signature.chain_id);
  const facts = { kind, issued_at, payload_hash, chain_id: signature.chain_id };
  expect(`0x${Buffer.from(computeStatementDigest(facts)).toString('hex')}`).toBe(
    hashTypedData(data as never),
  );
});

test('a statement stands for itself, and under the address that is expected', () => {
  const { signer } = file.statement.signature;
  expect(check(file)).toMatchObject({ isValid: true, kind: 'test', signer });
  expect(
    check({ ...file, proof: { ref: 'x' } }, signer.toUpperCase().replace('0X', '0x')),
  ).toMatchObject({
    isValid: true,
  });
  const other = `0x${'1'.repeat(40)}`;
  expect(check(file, other)).toMatchObject({
    isValid: false,
    reason: expect.stringContaining('not by'),
  });
});

test('whatever is changed in it is found', () => {
  const { statement } = file;
  const { signature } = statement;
  const changed: readonly [object, string][] = [
    [{ payload: { ...payload, b: 3 } }, 'the hash of the payload differs'],
    [{ statement: { ...statement, kind: 'other' } }, 'not signed by'],
    [{ statement: { ...statement, issued_at: '2026-01-02T00:00:00.000Z' } }, 'not signed by'],
    [{ statement: { ...statement, signature: { ...signature, chain_id: 1 } } }, 'not signed by'],
    [
      { statement: { ...statement, signature: { ...signature, signer: `0x${'2'.repeat(40)}` } } },
      'not signed by',
    ],
    [{ statement: {} }, 'not a statement'],
    [{ payload: 7 }, 'not a statement'],
  ];
  for (const [change, reason] of changed) {
    expect(check({ ...file, ...change }), JSON.stringify(change)).toMatchObject({
      isValid: false,
      reason: expect.stringContaining(reason),
    });
  }
  for (const value of [undefined, null, 7, [], {}]) {
    expect(check(value)).toMatchObject({ isValid: false });
  }
});
