// A log of proofs with keys of its own, and the settlements that are put into it.
import { randomBytes } from 'node:crypto';
import { fromDist } from '../lib/dist.mjs';

const AT_ONCE = 256;
const PAYER = `0x${'ab'.repeat(20)}`;
const PAYEE = `0x${'cd'.repeat(20)}`;
const { projectPaymentProofs } = await fromDist('actors/proof/payment-proofs.js');

/** What a paid debate leaves of its payment. */
const PAYMENT = {
  payer: PAYER,
  transaction: `0x${'ef'.repeat(32)}`,
  settledAt: 1_800_000_000_000,
  refundTransaction: null,
  tool: 'deliberation_multi-agent-debate',
  priceMicroUsd: '2000000',
  network: 'eip155:31337',
  payload: { accepted: { asset: PAYEE }, payload: { authorization: { to: PAYEE } } },
};

/** Opens a log in a folder, wired as `stoa serve` does. */
export async function openLog(path) {
  const { openProofKeys } = await fromDist('process/proof/proof-keys.js');
  const { openProofLog } = await fromDist('store/proof/proof-log.js');
  const { systemClock } = await fromDist('runtime/timer/clock.js');
  const { systemRandom } = await fromDist('process/server/system.js');
  const { mac, signer, verifierKey } = openProofKeys(path, undefined);
  const store = `${path}/proofs`;
  const log = openProofLog({
    path: store,
    clock: systemClock(),
    random: systemRandom,
    mac,
    signer,
  });
  return { log, verifierKey, store };
}

/** A settlement as the projector records it; `digits` are the 64 hex digits of its payment. */
export function settlement(digits) {
  const [proof] = projectPaymentProofs({ ...PAYMENT, paymentId: `pay_${digits}` });
  return proof;
}

/** 64 random hex digits. */
export function digits() {
  return randomBytes(32).toString('hex');
}

/** Puts settlements into a log, many at once; returns their digits in the order of the log. */
export async function fill(log, count) {
  const all = Array.from({ length: count }, digits);
  for (let from = 0; from < count; from += AT_ONCE) {
    const next = all.slice(from, from + AT_ONCE);
    await Promise.all(next.map((each) => log.append(settlement(each))));
  }
  return all;
}
