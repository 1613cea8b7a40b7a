import { randomInt } from 'node:crypto';
import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { PAYMENT_RESPONSE_META, type PaymentPayload } from '../../src/domain/payment/payment.ts';
import { expectBooksBalanced } from './books.ts';
import { nodeRpc } from './node-rpc.ts';
import { createPayer, type Payer } from './payer.ts';
import { challengeFor, codeOf, type RawAnswer, rawCall } from './raw-calls.ts';
import { balanceOf, freshDataDir, fund, type RealServer, startRealServer } from './real-server.ts';
import { seeded } from './seeded.ts';

/** What becomes of the files of the chain while nothing runs. */
export type Damage = 'none' | 'older state' | 'torn state' | 'no state';

const DEBATE = 'deliberation_multi-agent-debate';
const PRICE = 2_000_000n;
const CALLS = 6;
const FUNDED = 400_000_000n;
/** The longest that a round runs before everything is killed, in milliseconds. */
const LIFE_MS = 450;

interface Purchase {
  readonly args: object;
  readonly payment: PaymentPayload;
  /** What its buyer has seen, at any time. */
  job?: string;
  transaction?: string;
}

/**
 * Buys debates, kills server and node together at a random moment, does damage, starts again, and
 * checks that what buyers have seen is true and that the books balance. One chain for all rounds.
 *
 * @param seed - Of the moments of the kills; a failure names it.
 */
export async function crashRounds(
  damages: readonly Damage[],
  seed: number = randomInt(2 ** 31),
): Promise<void> {
  const random = seeded(seed);
  const payer = createPayer();
  const bought: Purchase[] = [];
  let server = await startRealServer(freshDataDir());
  await fund(server, payer.address, String(FUNDED / 1_000_000n));
  for (const [round, damage] of damages.entries()) {
    const state = join(server.dataDir, 'chain', 'state.gz');
    const older = existsSync(state);
    if (older) copyFileSync(state, `${state}.copy`);
    const fresh = await Promise.all(
      Array.from({ length: CALLS }, (_, at) => prepare(server, payer, `${round}.${at}`)),
    );
    bought.push(...fresh);
    const calls = fresh.map((each) => buy(server, each).catch(() => undefined));
    await sleep(random() * LIFE_MS);
    await killAll(server);
    await Promise.all(calls);
    harm(state, damage);
    server = await startRealServer(server.dataDir);
    const hint = `seed ${seed}, round ${round}, ${damage}`;
    // Before anything else is asked: the chain is level when the ready line is there.
    for (const each of bought) await expectTrue(server, each, hint);
    for (const each of fresh) await finish(server, each, hint);
    await expectBalanced(server, payer, bought, hint);
  }
  await server.stop();
}

async function prepare(server: RealServer, payer: Payer, name: string): Promise<Purchase> {
  const options = ['one', 'two'].map((option, at) => ({ name: option, scores: { cost: at + 1 } }));
  const criteria = [{ name: 'cost', higher_is_better: false }];
  const args = { question: `Crash ${name}?`, options, criteria, wait_s: 20 };
  const required = await challengeFor({
    ready: server.ready,
    carrier: 'meta',
    tool: DEBATE,
    args,
  });
  const [offer] = required.accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  const { extensions = {} } = required;
  return { args, payment: { ...(await payer.pay(offer)), extensions } };
}

/** Presents a payment and notes what its buyer is told; what was told before must not change. */
async function buy({ ready }: RealServer, purchase: Purchase): Promise<RawAnswer> {
  const { args, payment } = purchase;
  const call = { ready, carrier: 'meta', tool: DEBATE, args, payments: [payment] } as const;
  const answer = await rawCall(call);
  const { success, transaction } = Object(Object(answer.result['_meta'])[PAYMENT_RESPONSE_META]);
  if (success !== true) return answer;
  const { job_id: job } = Object(answer.result['structuredContent']);
  expect(purchase.job ?? job).toBe(job);
  expect(purchase.transaction ?? transaction).toBe(transaction);
  purchase.job = job;
  purchase.transaction = transaction;
  return answer;
}

/** Repeats a payment until it is final; a look-up of a lost outcome takes some seconds. */
async function finish(server: RealServer, purchase: Purchase, hint: string): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const answer = await buy(server, purchase);
    if (codeOf(answer) !== 'PAYMENT_PENDING') break;
    await sleep(500);
  }
  expect(purchase.job, hint).toMatch(/^job_/);
}

async function expectTrue(
  { ready }: RealServer,
  { transaction }: Purchase,
  hint: string,
): Promise<void> {
  if (transaction === undefined) return;
  const { rpc_url: url } = ready.chain;
  const receipt = await nodeRpc(url, 'eth_getTransactionReceipt', transaction);
  expect(receipt, `${hint}: ${transaction}`).toMatchObject({ status: '0x1' });
}

/** Every payment moved its price once, and nothing else moved. */
async function expectBalanced(
  server: RealServer,
  payer: Payer,
  bought: readonly Purchase[],
  hint: string,
): Promise<void> {
  const paid = PRICE * BigInt(bought.length);
  const treasury = bought[0]?.payment.accepted.payTo ?? '';
  expect(await balanceOf(server, payer.address), hint).toBe(FUNDED - paid);
  expect(await balanceOf(server, treasury), hint).toBe(paid);
  expect(new Set(bought.map(({ job }) => job)).size, hint).toBe(bought.length);
  expect(new Set(bought.map(({ transaction }) => transaction)).size, hint).toBe(bought.length);
  expect((await expectBooksBalanced(server, { hint })).in, hint).toBe(paid);
}

/** Server and node die in the same moment, by the hand of nobody who could save anything. */
async function killAll(server: RealServer): Promise<void> {
  const file = join(server.dataDir, 'chain', 'anvil.json');
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
  const killed = server.kill();
  process.kill(pid, 'SIGKILL');
  await killed;
}

function harm(state: string, damage: Damage): void {
  switch (damage) {
    case 'none':
      return;
    case 'older state':
      if (existsSync(`${state}.copy`)) copyFileSync(`${state}.copy`, state);
      return;
    case 'torn state':
      if (existsSync(state)) truncateSync(state, 300);
      return;
    case 'no state':
      for (const file of [state, `${state}.before`]) rmSync(file, { force: true });
      return;
  }
}
