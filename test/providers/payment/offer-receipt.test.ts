import {
  type EIP712SignedOffer,
  type EIP712SignedReceipt,
  verifyOfferSignatureEIP712,
  verifyReceiptSignatureEIP712,
} from '@x402/extensions/offer-receipt';
import { expect, test } from 'vitest';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { createPayer, requirementsOf } from '../../support/payer.ts';

const URL = 'mcp://tool/deliberation_multi-agent-debate';

test('an offer is signed by the payee, over price, payee and end', async () => {
  const chain = createMemoryPaymentChain();
  const offer = requirementsOf(chain.facts);
  const signed = await chain.signOffer(offer, URL, 1_800_000_000_999);
  const { signer, payload } = await verifyOfferSignatureEIP712(signed as EIP712SignedOffer);
  expect(signer.toLowerCase()).toBe(chain.facts.treasury);
  expect(payload).toEqual({
    version: 1,
    resourceUrl: URL,
    scheme: 'exact',
    network: 'eip155:31337',
    asset: chain.facts.token,
    payTo: chain.facts.treasury,
    amount: '250000',
    validUntil: 1_800_000_000,
  });
});

test('a receipt is signed by the payee, over payer and transaction', async () => {
  const chain = createMemoryPaymentChain();
  const payer = createPayer().address;
  const transaction = `0x${'ab'.repeat(32)}`;
  const issuedAt = 1_800_000_000_000;
  const signed = await chain.signReceipt({ resourceUrl: URL, payer, transaction, issuedAt });
  const { signer, payload } = await verifyReceiptSignatureEIP712(signed as EIP712SignedReceipt);
  expect(signer.toLowerCase()).toBe(chain.facts.treasury);
  expect(payload).toEqual({
    version: 1,
    network: 'eip155:31337',
    resourceUrl: URL,
    payer,
    issuedAt: 1_800_000_000,
    transaction,
  });
});
