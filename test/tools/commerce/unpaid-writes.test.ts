import { afterEach, expect, test } from 'vitest';
import { defineAlertActor } from '../../../src/actors/alert/alert-definition.ts';
import { createAlerts } from '../../../src/actors/alert/alerts.ts';
import { defineSeal } from '../../../src/actors/attestation/seal-definition.ts';
import { findPayment } from '../../../src/actors/payment/record.ts';
import type { BlobStore } from '../../../src/domain/common/blob-store.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { EventLog } from '../../../src/domain/event/event-log.ts';
import type { PriceQuery } from '../../../src/domain/market/price-source.ts';
import type { Tool, ToolOutcome } from '../../../src/domain/tool/tool.ts';
import { alertTool } from '../../../src/tools/alert/oracle_alert-generator.ts';
import { sealTool } from '../../../src/tools/attestation/attestation_single-use-seal.ts';
import { createChallenger } from '../../../src/tools/payment/challenge.ts';
import { createToolService } from '../../../src/tools/service/service.ts';
import { ToldSources } from '../../support/alert-sources.ts';
import { EventsDouble } from '../../support/alert-world.ts';
import { createMemoryPrices } from '../../support/memory-prices.ts';
import { type PaymentWorld, type Process, paymentWorld } from '../../support/payment-world.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';

const SHA = 'd'.repeat(64);
const SEAL = 'attestation_single-use-seal';
const ALERT = 'oracle_alert-generator';
const ISSUE = { action: 'issue', deliverable_sha256: SHA, agent: `0x${'a'.repeat(40)}` };
const ABOVE = {
  subject: { pair: 'BTC/USD', venue: 'kraken' },
  op: 'above',
  threshold: '100',
  eval_interval_s: 60,
};
/** What each tool writes, and the kind of actor that it is. */
const WRITES = [
  [SEAL, ISSUE, 'seal'],
  [ALERT, ABOVE, 'alert'],
] as const;

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of undo.splice(0).reverse()) await end();
});

test.each(WRITES)('%s leaves nothing when its payment fails', async (name, args, kind) => {
  const world = await selling();
  world.chain.faults.fates.push('refused');
  expect((await world.buy(name, args)).kind).toBe('payment_required');
  expect(await left(world, kind)).toEqual({ actors: 0, records: 0 });
  expect(world.books().paid).toBe(0n);
});

test.each(WRITES)('%s leaves it once when its payment settles late', async (name, args, kind) => {
  const world = await selling();
  world.chain.faults.fates.push('reverted', 'lost', 'late');
  const payload = await world.signFor(name, args);
  expect((await world.call(name, args, [payload])).kind).toBe('payment_required');
  expect(await left(world, kind)).toEqual({ actors: 0, records: 0 });
  await world.clock.advance(120_000);
  const answers = [
    await world.call(name, args, [payload]),
    await world.call(name, args, [payload]),
  ];
  for (const answer of answers) expect(contentOf(answer)).not.toHaveProperty('error');
  expect((await left(world, kind)).actors).toBe(1);
});

test('of two uses of a seal the second waits for the payment of the first', async () => {
  const world = await selling();
  const use = await issued(world);
  const [first, second] = [await world.signFor(SEAL, use), await world.signFor(SEAL, use)];
  const answers = [first, second].map((payload) => world.call(SEAL, use, [payload]));
  const told = (await Promise.all(answers)).map(contentOf);
  expect(told.filter(({ payload }) => payload !== undefined)).toHaveLength(1);
  expect(told.filter(({ error }) => error === 'SEAL_USED')).toHaveLength(1);
  // Issue and one use.
  expect(world.books().paid).toBe(100_000n);
});

test('a use whose payment fails leaves the seal for the next one', async () => {
  const world = await selling();
  const use = await issued(world);
  world.chain.faults.fates.push('refused');
  expect((await world.buy(SEAL, use)).kind).toBe('payment_required');
  const check = contentOf(await world.buy(SEAL, { action: 'check', seal_id: use.seal_id }));
  expect(check['payload']).toMatchObject({ state: 'issued', redeemed: null });
  expect(contentOf(await world.buy(SEAL, use))['payload']).toMatchObject({ state: 'redeemed' });
  expect(contentOf(await world.buy(SEAL, use))['error']).toBe('SEAL_USED');
});

test('a use that was stored before a restart still stands in the way of another one', async () => {
  const world = await selling();
  const use = await issued(world);
  world.chain.faults.fates.push('lost', 'lost', 'lost', 'lost');
  const first = await world.signFor(SEAL, use);
  expect((await world.call(SEAL, use, [first])).kind).toBe('payment_required');
  const again = await world.restart();
  const waiting = again.buy(SEAL, use);
  const told = contentOf(await waiting);
  expect(told['error'], JSON.stringify(told)).toMatch(/^(SEAL_USED|MOVE_UNAVAILABLE)$/);
  await world.clock.advance(3_600_000);
  expect(world.books().paid).toBe(100_000n);
});

interface Shop extends PaymentWorld, Process {
  call(name: string, args: object, payments?: readonly unknown[]): Promise<ToolOutcome>;
  buy(name: string, args: object): Promise<ToolOutcome>;
  signFor(name: string, args: object): Promise<unknown>;
  readonly proofs: ProofRig;
  restart(): Promise<Shop>;
}

async function selling(): Promise<Shop> {
  let now = () => 0;
  const known = createMemoryPrices();
  const prices = {
    ...known,
    price: async (order: PriceQuery) => ({ ...(await known.price(order)), asOf: now() }),
  };
  const events = new EventsDouble() as unknown as EventLog;
  const { markets, feeds } = new ToldSources(() => now());
  const sources = { prices, markets, feeds, events };
  const world = await paymentWorld('50000000', () => [defineSeal(), defineAlertActor(sources)]);
  now = () => world.clock.now();
  const proofs = proofRig(() => world.clock.now());
  undo.push(proofs.close);
  known.set('BTC/USD', 'kraken', { value: '90', asOf: world.clock.now() });
  const open = async (): Promise<Shop> => {
    const process = await world.start();
    const { engine } = process;
    const seal = (text: string) => sha256Hex(text);
    const alerts = createAlerts({
      ...sources,
      engine,
      clock: world.clock,
      seal,
      requireWebhook: async () => undefined,
    });
    const payerOf = async (id: string) =>
      (await findPayment(engine, id))?.record.payer.toLowerCase();
    const seals = { engine, proofs: proofs.log, clock: world.clock, capabilityOf: capability };
    const { trust } = world.chain;
    const passports = { find: async () => undefined } as never;
    const blobs: BlobStore = world.blobs;
    const service = createToolService({
      server: 'commerce',
      title: 'Two tools',
      version: '1.0.0',
      instructions: '',
      tools: [
        sealTool({ trust, passports, clock: world.clock, seals, blobs }) as Tool,
        alertTool({ alerts, payerOf }) as Tool,
      ],
      paid: { payments: process.payments, challenger: createChallenger(world) },
    });
    const call: Shop['call'] = (name, args, payments = []) =>
      world.drive(
        service.call({
          name,
          arguments: args,
          resourceUrl: `mcp://tool/${name}`,
          payments: payments.map((value) => ({ carrier: 'meta' as const, value })),
          principal: { kind: 'address', id: '203.0.113.9' },
          signal: new AbortController().signal,
        }),
      );
    const signFor: Shop['signFor'] = async (name, args) => {
      const asked = await call(name, args);
      if (asked.kind !== 'payment_required') throw new Error(JSON.stringify(asked));
      return world.sign(asked.required.accepts[0]);
    };
    const buy: Shop['buy'] = async (name, args) => call(name, args, [await signFor(name, args)]);
    const restart = async () => {
      process.life.die();
      return open();
    };
    return { ...world, ...process, call, buy, signFor, proofs, restart };
  };
  return open();
}

async function issued(world: Shop) {
  const told = contentOf(await world.buy(SEAL, ISSUE)) as {
    capability: string;
    payload: { seal_id: string };
  };
  const { seal_id } = told.payload;
  return { action: 'redeem', seal_id, capability: told.capability, deliverable_sha256: SHA };
}

async function left({ engine, proofs }: Shop, kind: string) {
  const { rows } = await engine.list({ kind });
  return { actors: rows.length, records: proofs.log.size };
}

function contentOf(outcome: ToolOutcome): Record<string, unknown> {
  if (outcome.kind === 'result') return { ...outcome.result.structuredContent };
  throw new Error(`no result: ${JSON.stringify(outcome)}`);
}

function capability(sealId: string): string {
  return `cap_${sha256Hex(`secret ${sealId}`)}`;
}
