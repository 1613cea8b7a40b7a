import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { type ControlClient, controlClient } from '../support/control-client.ts';
import { openInspectWire } from '../support/inspect-wire.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { challengeFor, jobOf, rawCall, receiptOf } from '../support/raw-calls.ts';
import {
  balanceOf,
  cleanUp,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const BEGIN = '2031-05-01T12:00:00.000Z';
const BEGIN_MS = Date.parse(BEGIN);
const DAY_MS = 86_400_000;
const TEST_FLAGS = ['--test-control', '--test-clock', BEGIN];

const tool = 'deliberation_multi-agent-debate';
const options = ['first', 'second'].map((name, at) => ({ name, scores: { cost: at + 1 } }));
const criteria = [{ name: 'cost', higher_is_better: false }];
const args = { question: 'Which one?', options, criteria, wait_s: 0 };
const PRICE_MIN = 1n;

/** Two looks at one clock from two processes differ by less, in milliseconds. */
const CLOCK_SLACK_MS = 60_000;

vi.setConfig({ testTimeout: 120_000 });
afterAll(cleanUp);

/** Pays as of the server's clock. */
async function payAt(payer: Payer, { accepts }: PaymentRequired, now: number) {
  const [offer] = accepts;
  if (offer === undefined) throw new Error('nothing is offered');
  return payer.pay(offer, { now });
}

const dataDir = freshDataDir();
const payer = createPayer();
let server: RealServer;
let control: ControlClient;

beforeAll(async () => {
  server = await startRealServer(dataDir, TEST_FLAGS);
  control = await controlClient(dataDir);
  await fund(server, payer.address);
}, 120_000);
afterAll(() => control.close());

const restart = async (): Promise<void> => {
  await server.kill();
  control.close();
  server = await startRealServer(dataDir, ['--test-control']);
  control = await controlClient(dataDir);
};
const buy = async (more: object = {}) => {
  const call = {
    ready: server.ready,
    tool,
    carrier: 'meta',
    args: { ...args, ...more },
  } as const;
  const { now } = await control.tell<{ now: number }>({ do: 'clock.now' });
  const payment = await payAt(payer, await challengeFor(call), now);
  return () => rawCall({ ...call, ready: server.ready, payments: [payment] });
};

test('only its owner can open the socket', () => {
  const { mode } = statSync(join(dataDir, 'test-control.sock'));
  expect(mode & 0o777).toBe(0o600);
});

test('the clock stands at the given time and moves by the socket alone', async () => {
  const before = await control.tell({ do: 'clock.now' });
  expect(before).toEqual({ now: BEGIN_MS, at: BEGIN, speed: 0 });
  await new Promise((done) => setTimeout(done, 50));
  expect(await control.tell({ do: 'clock.now' })).toEqual(before);
  const later = await control.tell({ do: 'clock.advance', ms: DAY_MS });
  expect(later).toMatchObject({ now: BEGIN_MS + DAY_MS });
  await expect(control.tell({ do: 'clock.set', at: BEGIN })).rejects.toThrow(/INPUT_INVALID.*back/);
});

test('payments are valid by the simulated clock, a year further on too', async () => {
  for (const ms of [0, 400 * DAY_MS]) {
    await control.tell({ do: 'clock.advance', ms });
    const before = await balanceOf(server, payer.address);
    const pay = await buy({ question: `After ${ms} ms?` });
    const answer = await pay();
    await control.tell({ do: 'quiesce' });
    expect(receiptOf(answer)).toMatchObject({ success: true });
    expect(before - (await balanceOf(server, payer.address))).toBeGreaterThanOrEqual(PRICE_MIN);
    expect(await control.tell({ do: 'actor', actorId: jobOf(answer) })).toMatchObject({
      kind: 'debate',
      status: 'done',
      value: 'decided',
    });
  }
});

test('a payment that has run out by the simulated clock buys nothing', async () => {
  const pay = await buy({ question: 'Too late?' });
  await control.tell({ do: 'clock.advance', ms: DAY_MS });
  expect((await pay()).text).toContain('PAYMENT_EXPIRED');
});

test('a server that is killed while a settlement is held settles it once after the start', async () => {
  await control.tell({ do: 'fault', name: 'held_call', where: 'chain.settle' });
  const before = await balanceOf(server, payer.address);
  const pay = await buy({ question: 'Killed in the middle?' });
  const cut = pay().catch(() => undefined);
  await expect.poll(() => control.tell({ do: 'state' })).toMatchObject({ held: ['chain.settle'] });
  expect(await balanceOf(server, payer.address)).toBe(before);
  const { now } = await control.tell<{ now: number }>({ do: 'clock.now' });
  await restart();
  await cut;
  expect(await control.tell({ do: 'clock.now' })).toMatchObject({ now });
  await control.tell({ do: 'quiesce' });
  const paid = before - (await balanceOf(server, payer.address));
  expect(paid).toBeGreaterThanOrEqual(PRICE_MIN);
  const answer = await pay();
  expect(receiptOf(answer)).toMatchObject({ success: true });
  expect(before - (await balanceOf(server, payer.address))).toBe(paid);
});

test('a settlement whose answer is lost is found by a later question, and charged once', async () => {
  await control.tell({ do: 'fault', name: 'lost_reply', where: 'chain.settle' });
  const before = await balanceOf(server, payer.address);
  const pay = await buy({ question: 'Lost?' });
  expect((await pay()).text).toContain('PAYMENT_PENDING');
  const paid = before - (await balanceOf(server, payer.address));
  expect(paid).toBeGreaterThanOrEqual(PRICE_MIN);
  await control.tell({ do: 'clock.advance', ms: 2_000 });
  expect(receiptOf(await pay())).toMatchObject({ success: true });
  expect(before - (await balanceOf(server, payer.address))).toBe(paid);
});

test.each([
  ['{', 'INPUT_INVALID'],
  ['{"do":"everything"}', 'INPUT_INVALID'],
  ['{"do":"clock.advance","ms":-1}', 'INPUT_INVALID'],
  ['{"do":"fault","name":"held_call","where":"the moon"}', 'INPUT_INVALID'],
  ['{"do":"release","where":"llm"}', 'INPUT_INVALID'],
  ['{"do":"actor","actorId":"nobody"}', 'ACTOR_UNKNOWN'],
  ['{"do":"settle","token":"none","result":{"ok":true,"output":null}}', 'EFFECT_UNKNOWN'],
])('it refuses %s by name', async (line, code) => {
  const answer = JSON.parse((await control.raw(line)) ?? '');
  expect(answer).toMatchObject({ ok: false, error: { code } });
});

test('a commit that fails ends the process, and the next one goes on', async () => {
  await control.tell({ do: 'fail_commit' });
  const pay = await buy({ question: 'No disk?' });
  await pay().catch(() => undefined);
  await expect.poll(() => server.errors(), { timeout: 20_000 }).toContain('cannot continue');
  await restart();
  expect(await control.tell({ do: 'quiesce' })).toMatchObject({ pendingCommits: 0 });
});

test('without the flag its data directory is refused', async () => {
  await server.stop();
  expect(existsSync(join(dataDir, 'test-control.sock'))).toBe(false);
  await expect(startRealServer(dataDir)).rejects.toThrow(/CONFIG_INVALID.*test server/);
});

test('a server without the flag has no socket, the real clock, and no development actors', async () => {
  const dir = freshDataDir();
  const plain = await startRealServer(dir, ['--console-actions', 'send']);
  expect(existsSync(join(dir, 'test-control.sock'))).toBe(false);
  expect(existsSync(join(dir, 'test-clock.json'))).toBe(false);
  expect(readFileSync('/proc/net/unix', 'utf8')).not.toContain(dir);
  const token = readFileSync(plain.ready.token_file, 'utf8').trim();
  const wire = await openInspectWire(plain.ready.base_url, token);
  const { now, developmentKinds } = await wire.hello;
  expect(Math.abs(now - Date.now())).toBeLessThan(CLOCK_SLACK_MS);
  expect(developmentKinds).toEqual([]);
  const start = { name: 'start', kind: 'job', actorId: 'job_1', input: {} } as const;
  await expect(wire.act(start)).rejects.toThrow('ACTION_OFF');
  wire.close();
  await plain.stop();
  await expect(startRealServer(dir, TEST_FLAGS)).rejects.toThrow(/CONFIG_INVALID.*its own/);
});

test('a damaged clock file is refused by name', async () => {
  const dir = freshDataDir();
  writeFileSync(join(dir, 'test-clock.json'), '{"at": "noon"}');
  await expect(startRealServer(dir, TEST_FLAGS)).rejects.toThrow(/DATA_DAMAGED.*test-clock/);
});
