// Settlements a second on a chain that makes a block for each transaction, so that no block time
// hides our own: single payments, then whole escrowed jobs (funded, fulfilled, released).
//   node bench/escrow.mjs [--count 200] [--at-once 1,8,32]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fromDist } from './lib/dist.mjs';
import { openRows, say } from './lib/output.mjs';
import { fixed, median, table } from './lib/stats.mjs';

const ROUNDS = 3;
const AMOUNT = '1000000';
const PURSE = '1000000000000';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    'at-once': { type: 'string', default: '1,8,32' },
  },
});
const count = Number(values.count);
const { openPaymentChain } = await fromDist('providers/chain/payment-chain.js');
const { authorizationDigest } = await fromDist('providers/chain/digest.js');
const { digestSigner, freshKey } = await fromDist('providers/chain/signature.js');
const { typedDigest } = await fromDist('providers/chain/trust/typed-digest.js');

const dataDir = mkdtempSync(join(tmpdir(), 'stoa-bench-escrow-'));
const chain = await openPaymentChain({ kind: 'local', dataDir, now: Date.now, notice: say });
const { facts, trust } = chain;
const domain = {
  ...{ name: facts.tokenName, version: facts.tokenVersion },
  ...{ chainId: facts.chainId, token: facts.token },
};
const digests = {
  exact: authorizationDigest(domain, 'transfer'),
  terms: authorizationDigest(domain, 'receive'),
};
const { add } = openRows('escrow');
try {
  const lines = [];
  for (const atOnce of values['at-once'].split(',').map(Number)) {
    const payments = await rounds(atOnce, 'payments', payment);
    const jobs = await rounds(atOnce, 'jobs', job);
    lines.push([atOnce, fixed(payments, 1), fixed(jobs, 1), fixed(3 * jobs, 1)]);
  }
  const head = ['at once', 'payments/s', 'escrowed jobs/s', 'calls of the escrow/s'];
  say(`\n${table(head, lines)}`);
} finally {
  await chain.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function rounds(atOnce, what, run) {
  const rates = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const buyer = digestSigner(freshKey());
    await chain.faucet(buyer.address, PURSE);
    const orders = await Promise.all(Array.from({ length: count }, () => run(buyer)));
    const began = performance.now();
    let next = 0;
    const worker = async () => {
      while (next < orders.length) await orders[next++]();
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const perSecond = (1_000 * count) / (performance.now() - began);
    rates.push(perSecond);
    add({ what, atOnce, round, count, perSecond });
  }
  return median(rates);
}

/** Signed before the clock runs: a payer signs on its own machine. */
async function payment(buyer) {
  const authorization = authorizationOf(buyer, facts.treasury, word());
  const signature = buyer.sign(digests.exact(authorization));
  const accepted = {
    ...{ scheme: 'exact', network: facts.network, amount: AMOUNT, asset: facts.token },
    ...{ payTo: facts.treasury, maxTimeoutSeconds: 300, extra: {} },
  };
  const payload = { x402Version: 2, accepted, payload: { authorization, signature } };
  return async () => expectState(await chain.settle(payload), 'settled');
}

async function job(buyer) {
  const provider = digestSigner(freshKey());
  const terms = {
    ...{ jobId: word(), buyer: buyer.address, provider: provider.address, amount: AMOUNT },
    fulfilByS: Math.floor(Date.now() / 1_000) + 3_600,
  };
  const key = trust.escrow.keyOf(terms);
  const authorization = authorizationOf(buyer, trust.contracts.escrow, key);
  const signature = buyer.sign(digests.terms(authorization));
  const fulfil = { move: 'fulfil', deliverable: word() };
  const release = { move: 'release' };
  const moves = [
    { ...fulfil, signature: provider.sign(typedDigest(trust.escrow.moveRequest(key, fulfil))) },
    { ...release, signature: buyer.sign(typedDigest(trust.escrow.moveRequest(key, release))) },
  ];
  return async () => {
    const funded = await trust.escrow.fund({ terms, authorization, signature, form: 'terms' });
    expectState(funded, 'done');
    for (const move of moves) expectState(await trust.escrow.move(key, move), 'done');
  };
}

function authorizationOf({ address }, to, nonce) {
  const nowS = Math.floor(Date.now() / 1_000);
  return {
    ...{ from: address, to, value: AMOUNT, nonce },
    ...{ validAfter: String(nowS - 600), validBefore: String(nowS + 3_600) },
  };
}

function word() {
  return `0x${randomBytes(32).toString('hex')}`;
}

function expectState(outcome, state) {
  if (outcome.state !== state) throw new Error(JSON.stringify(outcome));
}
