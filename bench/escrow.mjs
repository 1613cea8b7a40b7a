// Settlements a second on a chain that makes a block for each transaction, so that no block time
// hides our own: single payments, whole escrowed jobs (funded, fulfilled, released), and the same
// payments by a bare viem client that only sends them and waits for the receipt, on the same node.
//   node bench/escrow.mjs [--count 200] [--at-once 1,8,32]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createWalletClient, defineChain, http, publicActions } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { fromDist } from './lib/dist.mjs';
import { openRows, say } from './lib/output.mjs';
import { fixed, median, roundRatio, table } from './lib/stats.mjs';

const ROUNDS = 3;
const AMOUNT = '1000000';
const PURSE = '1000000000000';
/** How often the bare client asks for a receipt: a block is there at once. */
const BARE_POLL_MS = 2;
const BARE_GAS = 200_000n;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    'at-once': { type: 'string', default: '1,8,32' },
  },
});
const count = Number(values.count);
const { openPaymentChain } = await fromDist('providers/payment/payment-chain.js');
const { authorizationDigest } = await fromDist('providers/chain/digest.js');
const { createDigestSigner, generateKey } = await fromDist('providers/chain/signature.js');
const { encodeTransfer } = await fromDist('providers/payment/token.js');
const { typedDigest } = await fromDist('providers/chain/trust/typed-digest.js');

const dataDir = mkdtempSync(join(tmpdir(), 'stoa-bench-escrow-'));
const chain = await openPaymentChain({ kind: 'local', dataDir, now: Date.now, notice: say });
const { facts, trust } = chain;
const domain = {
  name: facts.tokenName,
  version: facts.tokenVersion,
  chainId: facts.chainId,
  token: facts.token,
};
const digests = {
  exact: authorizationDigest(domain, 'transfer'),
  terms: authorizationDigest(domain, 'receive'),
};
const bareChain = defineChain({
  id: facts.chainId,
  name: 'local',
  nativeCurrency: { name: 'none', symbol: 'none', decimals: 18 },
  rpcUrls: { default: { http: [facts.rpcUrl] } },
});
const bareClients = [];
const nonces = [];
const { add } = openRows('escrow');
try {
  const lines = [];
  for (const atOnce of values['at-once'].split(',').map(Number)) {
    const legs = { payment: [], bare: [], job: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [what, run] of Object.entries({ payment, bare, job })) {
        const row = { what, atOnce, round, count, perSecond: await rate(atOnce, run) };
        legs[what].push(row);
        add(row);
      }
    }
    const [payments, bares, jobs] = Object.values(legs).map((rows) =>
      median(rows.map(({ perSecond }) => perSecond)),
    );
    const calls = legs.job.map((row) => ({ ...row, perSecond: 3 * row.perSecond }));
    const toBare = (rows) => fixed(roundRatio(rows, legs.bare, 'perSecond'), 2);
    const ratios = [toBare(legs.payment), toBare(calls)];
    lines.push([atOnce, ...[bares, payments, jobs, 3 * jobs].map((of) => fixed(of, 1)), ...ratios]);
  }
  const head = ['at once', 'bare viem payments/s', 'payments/s', 'escrowed jobs/s'];
  const ratios = ['calls of the escrow/s', 'payments to bare', 'calls to bare'];
  say(`\n${table([...head, ...ratios], lines)}`);
} finally {
  await chain.close();
  rmSync(dataDir, { recursive: true, force: true });
}

async function rate(atOnce, run) {
  const buyer = createDigestSigner(generateKey());
  await chain.faucet(buyer.address, PURSE);
  const orders = await Promise.all(Array.from({ length: count }, () => run(buyer)));
  const began = performance.now();
  let next = 0;
  const worker = async (_, place) => {
    while (next < orders.length) await orders[next++](place);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (1_000 * count) / (performance.now() - began);
}

/** Signed before the clock runs: a payer signs on its own machine. */
async function payment(buyer) {
  const { authorization, signature } = signedPayment(buyer);
  const accepted = {
    scheme: 'exact',
    network: facts.network,
    amount: AMOUNT,
    asset: facts.token,
    payTo: facts.treasury,
    maxTimeoutSeconds: 300,
    extra: {},
  };
  const payload = { x402Version: 2, accepted, payload: { authorization, signature } };
  return async () => expectState(await chain.settle(payload), 'settled');
}

function signedPayment(buyer) {
  const authorization = authorizationOf(buyer, facts.treasury, word());
  return { authorization, signature: buyer.sign(digests.exact(authorization)) };
}

/** The same payment, sent by an account of its own for each who works at once. */
async function bare(buyer) {
  const data = encodeTransfer(signedPayment(buyer));
  return async (place) => {
    const client = bareClient(place);
    const nonce = nonces[place];
    nonces[place] += 1;
    const free = { gas: BARE_GAS, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
    const hash = await client.sendTransaction({ to: facts.token, data, nonce, ...free });
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`the bare payment is ${status}`);
  };
}

function bareClient(place) {
  nonces[place] ??= 0;
  bareClients[place] ??= createWalletClient({
    account: privateKeyToAccount(generatePrivateKey()),
    chain: bareChain,
    transport: http(),
    pollingInterval: BARE_POLL_MS,
  }).extend(publicActions);
  return bareClients[place];
}

async function job(buyer) {
  const provider = createDigestSigner(generateKey());
  const terms = {
    jobId: word(),
    buyer: buyer.address,
    provider: provider.address,
    amount: AMOUNT,
    fulfilByS: Math.floor(Date.now() / 1_000) + 3_600,
  };
  const key = trust.escrow.computeKey(terms);
  const authorization = authorizationOf(buyer, trust.contracts.escrow, key);
  const signature = buyer.sign(digests.terms(authorization));
  const fulfil = { move: 'fulfil', deliverable: word() };
  const release = { move: 'release' };
  const moves = [
    {
      ...fulfil,
      signature: provider.sign(typedDigest(trust.escrow.createMoveRequest(key, fulfil))),
    },
    {
      ...release,
      signature: buyer.sign(typedDigest(trust.escrow.createMoveRequest(key, release))),
    },
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
    from: address,
    to,
    value: AMOUNT,
    nonce,
    validAfter: String(nowS - 600),
    validBefore: String(nowS + 3_600),
  };
}

function word() {
  return `0x${randomBytes(32).toString('hex')}`;
}

function expectState(outcome, state) {
  if (outcome.state !== state) throw new Error(JSON.stringify(outcome));
}
