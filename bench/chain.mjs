// The embedded chain as it grows: memory, bytes, restart, and whether old receipts still verify.
//   node bench/chain.mjs [--at 0,10000,25000,50000] [--seconds 360]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openRows, say } from './lib/output.mjs';
import { cpuMs, residentKib } from './lib/proc.mjs';
import { fixed, median, table } from './lib/stats.mjs';

const AMOUNT = '1000';
const AT_ONCE = 256;
const GAS = 120_000n;
const MINE_EVERY_MS = 400;
const SINGLES = 7;
const SAMPLES = 40;

const { values } = parseArgs({
  options: {
    at: { type: 'string', default: '0,10000,25000,50000' },
    seconds: { type: 'string', default: '360' },
  },
});
const steps = values.at.split(',').map(Number);
const dist = process.env.STOA_DIST ?? fileURLToPath(new URL('../dist', import.meta.url));
const load = (path) => import(pathToFileURL(resolve(dist, 'providers', path)).href);
const { openPaymentChain } = await load('payment/payment-chain.js');
const { openLocalChain } = await load('chain/local/local-chain.js');
const { authorizationDigest } = await load('chain/digest.js');
const { awaitReceipt } = await load('payment/receipts.js');
const { encodeTransfer } = await load('payment/token.js');
const { createDigestSigner } = await load('chain/signature.js');

const dataDir = mkdtempSync(join(tmpdir(), 'stoa-bench-chain-'));
const deadline = Date.now() + Number(values.seconds) * 1000;
const { rows, add } = openRows('chain');
const receipts = [];
/** The most that the node has held during the load since the last look. */
let peakKib = 0;
let chain = await open();
try {
  let done = 0;
  for (const count of steps) {
    const rate = await settle(count - done);
    done = count;
    add(await measure(done, rate));
  }
  report();
} finally {
  await chain.close();
  rmSync(dataDir, { recursive: true, force: true });
}

function open() {
  const notice = (line) => say(line);
  return openPaymentChain({ kind: 'local', dataDir, now: Date.now, notice });
}

/** Settles through the queue of the operator's transactions, several to a block. */
async function settle(count) {
  if (count === 0) return 0;
  const pay = await payer(count);
  await chain.close();
  const local = await openLocalChain({ dataDir, now: Date.now, notice: say });
  try {
    return await settleOn(local, pay, count);
  } finally {
    await local.close();
    chain = await open();
  }
}

async function settleOn(local, pay, count) {
  const began = performance.now();
  const every = Math.max(1, Math.floor(count / SAMPLES));
  for (let begun = 0; begun < count; begun += AT_ONCE) {
    if (Date.now() > deadline) throw new Error('the time for the load is over');
    // A block costs the node more the more it holds; a load of this size shares blocks.
    await local.rpc.call('evm_setAutomine', [false]);
    let isMining = true;
    const mining = mineWhile(local, () => isMining);
    const some = Array.from({ length: Math.min(AT_ONCE, count - begun) }, (_, at) => begun + at);
    const sent = await Promise.all(some.map((place) => send(local, pay(), place % every === 0)));
    const last = await awaitReceipt(local.rpc, sent.at(-1), { everyMs: 20, totalMs: 10_000 });
    isMining = false;
    await mining;
    if (last?.status !== '0x1') throw new Error('a settlement did not go through');
    peakKib = Math.max(peakKib, residentKib(local.nodePid()));
  }
  const rate = (count / (performance.now() - began)) * 1000;
  await local.rpc.call('evm_setAutomine', [true]);
  return rate;
}

async function mineWhile(local, goesOn) {
  while (goesOn()) {
    await local.rpc.ask('evm_mine', []);
    await sleep(MINE_EVERY_MS);
  }
}

async function send(local, { payload }, isSample) {
  const { from, nonce } = payload.authorization;
  const key = `${from}:${nonce}`;
  const data = encodeTransfer(payload);
  const { state, hash } = await local.relayer.send({ to: local.token, data, gas: GAS, key });
  if (state !== 'sent') throw new Error(`a settlement is ${state}`);
  if (isSample) receipts.push(await receiptOf(payload, hash));
  return hash;
}

async function payer(count) {
  const signer = createDigestSigner(`0x${randomBytes(32).toString('hex')}`);
  await chain.faucet(signer.address, String(BigInt(AMOUNT) * BigInt(count)));
  const { chainId, token, tokenName: name, tokenVersion: version, treasury } = chain.facts;
  const digest = authorizationDigest({ name, version, chainId, token });
  return () => {
    const nowS = Math.floor(Date.now() / 1000);
    const authorization = {
      from: signer.address,
      to: treasury,
      value: AMOUNT,
      validAfter: String(nowS - 600),
      validBefore: String(nowS + 600),
      nonce: `0x${randomBytes(32).toString('hex')}`,
    };
    return { payload: { signature: signer.sign(digest(authorization)), authorization } };
  };
}

function receiptOf({ authorization }, transaction) {
  const receipt = { resourceUrl: 'mcp://tool/bench', payer: authorization.from, transaction };
  return chain.signReceipt({ ...receipt, issuedAt: Date.now() });
}

/** Restarts, as a start of the server does, and looks at everything that grows. */
async function measure(settled, rate) {
  const memoryMib = peakKib / 1024;
  peakKib = 0;
  await chain.close();
  const began = performance.now();
  chain = await open();
  const restartMs = performance.now() - began;
  const settleMs = await single();
  const verifying = performance.now();
  const verdicts = await Promise.all(receipts.map((receipt) => chain.verifyReceipt(receipt)));
  const verifyMs = (performance.now() - verifying) / Math.max(1, receipts.length);
  const bad = verdicts.filter(({ isValid }) => !isValid);
  if (bad.length > 0) throw new Error(`a receipt does not verify: ${JSON.stringify(bad[0])}`);
  return {
    settled,
    rate,
    restartMs,
    settleMs,
    verifyMs,
    receipts: receipts.length,
    memoryMib,
    memoryFreshMib: residentKib(chain.nodePid()) / 1024,
    nodeCpuMs: cpuMs(chain.nodePid()),
    bytes: bytes(),
  };
}

/** One settlement by itself, as a paid call waits for it; the median of some. */
async function single() {
  const pay = await payer(SINGLES);
  const times = [];
  for (let at = 0; at < SINGLES; at += 1) {
    const payload = pay();
    const began = performance.now();
    const { state } = await chain.settle(payload);
    if (state !== 'settled') throw new Error(`a settlement is ${state}`);
    times.push(performance.now() - began);
  }
  return median(times);
}

function bytes() {
  const folder = join(dataDir, 'chain');
  const sum = (part) =>
    readdirSync(folder, { recursive: true })
      .filter((name) => part.test(name) && statSync(join(folder, name)).isFile())
      .reduce((total, name) => total + statSync(join(folder, name)).size, 0);
  return { state: sum(/^state/), journal: sum(/^raw/), archive: sum(/^archive/), all: sum(/./) };
}

function report() {
  const [first] = rows;
  say(
    table(
      [
        ...[
          'settlements',
          'settled/s',
          'node MiB, most',
          'after restart',
          'restart ms',
          'ms/settlement',
        ],
        ...['state KiB', 'journal KiB', 'archive KiB', 'bytes/settlement', 'ms/receipt'],
      ],
      rows.map((row) => [
        ...[row.settled, fixed(row.rate, 0), fixed(row.memoryMib, 0)],
        ...[fixed(row.memoryFreshMib, 0), fixed(row.restartMs, 0), fixed(row.settleMs, 0)],
        ...[row.bytes.state, row.bytes.journal, row.bytes.archive].map((n) => fixed(n / 1024, 0)),
        row.settled === 0 ? '-' : fixed((row.bytes.all - first.bytes.all) / row.settled, 0),
        row.receipts === 0 ? '-' : fixed(row.verifyMs, 1),
      ]),
    ),
  );
}
