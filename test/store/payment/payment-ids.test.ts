import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ClaimedPayment } from '../../../src/domain/payment/payment-ids.ts';
import { openTrustStore, type TrustStore } from '../../../src/store/chain/trust-store.ts';
import { openPaymentIds, PAYMENT_IDS_KEPT_MS } from '../../../src/store/payment/payment-ids.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
let store: TrustStore;
beforeEach(() => {
  dir = tempDir();
  store = openTrustStore({ path: dir.path });
});
afterEach(async () => {
  await store.close();
  dir.remove();
});

const claimed = (n: number, payer = '0xpayer'): ClaimedPayment => ({
  payer,
  identifierHash: `hash${n}`,
  paymentId: `pay_${n}`,
  fingerprint: `print${n}`,
});
const counts = () => [store.table('payment-ids').count(), store.table('payment-ids-due').count()];

test('an identifier stands for a payment of its payer, also after a new start', async () => {
  await openPaymentIds(store).bind(claimed(1), 0);
  await store.close();
  store = openTrustStore({ path: dir.path });
  const ids = openPaymentIds(store);
  expect(ids.find(claimed(1))).toEqual(claimed(1));
  expect(ids.find(claimed(1, '0xother'))).toBeUndefined();
  expect(ids.find(claimed(2))).toBeUndefined();
});

test('one that is taken over leaves one row behind, and is forgotten by its payment alone', async () => {
  const ids = openPaymentIds(store);
  await ids.bind(claimed(1), 0);
  const other = { ...claimed(1), paymentId: 'pay_other', fingerprint: 'other' };
  await ids.bind(other, 5);
  expect(ids.find(claimed(1))).toEqual(other);
  expect(counts()).toEqual([1, 1]);
  await ids.remove(claimed(1));
  expect(counts()).toEqual([1, 1]);
  await ids.remove(other);
  expect(counts()).toEqual([0, 0]);
});

test('old ones go with the next, at most a hundred at once, and nothing else does', async () => {
  const ids = openPaymentIds(store);
  for (let n = 0; n < 150; n += 1) await ids.bind(claimed(n), n);
  await ids.bind(claimed(500), PAYMENT_IDS_KEPT_MS + 20);
  expect(counts()).toEqual([131, 131]);
  await ids.bind(claimed(501), PAYMENT_IDS_KEPT_MS + 1_000);
  expect(counts()).toEqual([32, 32]);
  expect(ids.find(claimed(149))).toEqual(claimed(149));
});
