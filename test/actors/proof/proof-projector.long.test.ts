import { afterEach, describe, expect, test } from 'vitest';
import { createPaymentProjector } from '../../../src/actors/proof/payment-projector.ts';
import { PROOF_RETRY_MS, ProofProjector } from '../../../src/actors/proof/proof-projector.ts';
import { parseEventData } from '../../../src/domain/event/catalog.ts';
import type { EventFeed, PublicEvent } from '../../../src/domain/event/event-log.ts';
import type { ProofLog } from '../../../src/domain/proof/proof-log.ts';
import { toConsensusRef, toSettlementRef, toStatementRef } from '../../../src/domain/proof/refs.ts';
import type { ToolResult } from '../../../src/domain/tool/tool-result.ts';
import type { Life } from '../../support/mortal.ts';
import {
  inlineCall,
  jobCall,
  type PaymentWorld,
  type Process,
  paymentWorld,
} from '../../support/payment-world.ts';
import { type ProofRig, proofRig, soon } from '../../support/proof-rig.ts';

const STEPS_MAX = 80;
const STATEMENT_KINDS = { reputation_lookup: 30017 } as const;
const STATED: ToolResult = {
  content: [{ type: 'text', text: 'stated' }],
  structuredContent: {
    payload: { secret: 'what was said' },
    statement: {
      kind: 'reputation',
      issued_at: '2026-01-01T00:00:00.000Z',
      payload_hash: 'ab'.repeat(32),
      signature: { alg: 'eip712', signer: '0x01', chain_id: 1, value: '0x' },
    },
  },
};
const rigs: ProofRig[] = [];
const projectors: ProofProjector[] = [];

afterEach(async () => {
  for (const each of projectors.splice(0)) await each.stop();
  for (const rig of rigs.splice(0)) await rig.close();
});

function rig(): ProofRig {
  const made = proofRig();
  rigs.push(made);
  return made;
}

/** A log that only a living process writes to; reading goes on. */
function mortalLog<Log extends ProofLog | EventFeed>(log: Log, life: Life): Log {
  return new Proxy(log, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'append' && name !== 'keepPosition') return member.bind(target);
      return (what: never) => life.step(() => member.call(target, what));
    },
  });
}

interface Logs {
  readonly log: ProofLog;
  readonly events: EventFeed;
}

function follow(
  world: PaymentWorld,
  { engine }: Pick<Process, 'engine'>,
  { log, events }: Logs,
  notice: (line: string) => void = () => undefined,
): ProofProjector {
  const projectors = [
    createPaymentProjector({ blobs: world.blobs, statementKinds: STATEMENT_KINDS }),
  ];
  return new ProofProjector({
    engine,
    log,
    events,
    projectors,
    clock: world.clock,
    notice,
  });
}

/** Buys a job, cancels it, and waits for the refund. */
async function buyAndCancel(
  world: PaymentWorld,
  process: Process,
  call: ReturnType<typeof jobCall>,
) {
  const told = async () => {
    await process.payments.pay(call);
    const { rows } = await process.engine.list({ kind: 'errand', state: 'running' });
    for (const { id } of rows) await process.engine.tell(id, { type: 'CANCEL' });
    await world.clock.advance(0);
  };
  await world.drive(Promise.race([told(), process.life.over]));
}

async function paymentId({ engine }: Process): Promise<string> {
  const { rows } = await engine.list({ kind: 'payment' });
  return rows[0]?.id ?? '';
}

describe('what payments prove', () => {
  test('a settled payment leaves one settlement, under its public name', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const logs = rig();
    const { log, events } = logs;
    projectors.push(follow(world, process, logs));
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    await soon(() => log.size === 1 && events.size === 1);
    const id = await paymentId(process);
    const [record] = log.find(toSettlementRef(id), 10);
    expect(record).toMatchObject({ kind: 30020, kind_name: 'ProofOfSettlement', seq: 0 });
    expect(log.payload(0)).toMatchObject({
      subject: world.payer.address,
      payload: {
        event: 'settled',
        payment_id: id,
        price_micro_usd: '2000000',
        fee_micro_usd: '400000',
        payer: world.payer.address,
        payee: world.chain.facts.treasury,
        network: world.chain.facts.network,
        transaction: expect.stringMatching(/^0x/),
      },
    });
    const [event] = events.about(world.payer.address.toLowerCase(), 0, 10);
    expect(event).toMatchObject({ seq: 0, type: 'settlement.settled', ref: toSettlementRef(id) });
    expect(event && parseEventData(event, 'settlement.settled')).toEqual({
      price: '2000000',
      fee_bps: 2_000,
      fee: '400000',
      network: world.chain.facts.network,
      tool: 'ops_link-integrity',
      transaction: expect.stringMatching(/^0x/),
    });
    // Neither what was asked nor what was answered is anyone's to read.
    expect(JSON.stringify(event)).not.toMatch(/example\.org|ran 1/);
  });

  test('a signed statement that was paid for is proven by its hash, one that is not paid never', async () => {
    const world = await paymentWorld('2000000');
    const process = await world.start();
    const logs = rig();
    projectors.push(follow(world, process, logs));
    const call = { tool: 'reputation_lookup', run: async () => STATED };
    await world.drive(process.payments.pay(inlineCall(world, await world.sign(), call)));
    // The payer has nothing left: this one does the work and is not settled.
    await world.drive(process.payments.pay(inlineCall(world, await world.sign(), call)));
    await soon(() => logs.log.size === 2);
    const id = await paymentId(process);
    expect(logs.log.find(toStatementRef(id), 10)).toMatchObject([{ kind: 30017, seq: 1 }]);
    expect(logs.log.payload(1)).toMatchObject({
      subject: world.payer.address,
      payload: {
        event: 'stated',
        payment_id: id,
        tool: 'reputation_lookup',
        statement_kind: 'reputation',
        statement_hash: 'ab'.repeat(32),
        signer: '0x01',
      },
    });
  });
});

describe('what proves nothing', () => {
  test('a payment that moved no money leaves nothing', async () => {
    const world = await paymentWorld('0');
    const process = await world.start();
    const logs = rig();
    const { log, events } = logs;
    const projector = follow(world, process, logs);
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    await projector.stop();
    expect([log.size, events.size]).toEqual([0, 0]);
    expect(log.position).toBeGreaterThan(0);
    expect(events.position).toBe(log.position);
  });

  test('a copy of a payment proves nothing', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const logs = rig();
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    const id = await paymentId(process);
    const real = process.engine;
    // The feed of a copy alone: its context names the payment that it is a copy of.
    const feedRows: typeof real.feedRows = async (from, limit) =>
      (await real.feedRows(from, limit)).map((row) => ({ ...row, id: 'copy' }));
    const engine = Object.assign(Object.create(real), {
      feedRows,
      view: () => real.view(id),
      feed: () => () => undefined,
    });
    const projector = follow(world, { engine }, logs);
    await projector.caughtUp();
    await projector.stop();
    expect([logs.log.size, logs.events.size]).toEqual([0, 0]);
  });
});

describe('what faults and long histories leave', () => {
  test.each(['before', 'after'] as const)(
    'a settlement and its refund are recorded once whichever step the process dies %s',
    async (when) => {
      for (let at = 1; at <= STEPS_MAX; at += 1) {
        const world = await paymentWorld();
        const logs = rig();
        const { log, events } = logs;
        const call = jobCall(world, await world.sign());
        const first = await world.start({ at, when });
        const mortal = { log: mortalLog(log, first.life), events: mortalLog(events, first.life) };
        follow(world, first, mortal);
        await buyAndCancel(world, first, call);
        const isTold = () => log.size === 2 && events.size === 2;
        if (!first.life.isOver) await soon(() => first.life.isOver || isTold());
        const isThrough = !first.life.isOver;
        first.life.die();
        const second = await world.start();
        const projector = follow(world, second, logs);
        await buyAndCancel(world, second, call);
        await world.clock.advance(3_600_000);
        await soon(isTold);
        await projector.stop();
        const told = [0, 1, 2].map((seq) => log.payload(seq)?.payload['event']);
        expect(told, `died ${when} step ${at}`).toEqual(['settled', 'refunded', undefined]);
        const feed = events.read(0, 10);
        expect(
          feed.map(({ type }) => type),
          `died ${when} step ${at}`,
        ).toEqual(['settlement.settled', 'settlement.refunded']);
        expect(parseEventData(feed[1] as PublicEvent, 'settlement.refunded')).toMatchObject({
          amount: '1500000',
          reason: 'cancelled',
          settlement_transaction: feed[0]?.data['transaction'],
        });
        if (isThrough) return;
      }
      expect.unreachable('the story has more steps than the test looks at');
    },
    60_000,
  );
});

describe('logs that fail, come late or have much to read', () => {
  test('a log that takes nothing for a while loses no payment', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const logs = rig();
    const { log } = logs;
    const faults: string[] = [];
    let isFull = true;
    const weak = new Proxy(log, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        if (name === 'append' && isFull) return () => Promise.reject(new Error('no room'));
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const notice = (line: string) => faults.push(line);
    const { engine } = process;
    const projector = follow(world, process, { ...logs, log: weak }, notice);
    await projector.caughtUp();
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    await soon(() => faults.length > 0);
    // Rows of others come meanwhile, and must not move the position past the failed one.
    await engine.create('errand', 'other', { goal: 'x' });
    isFull = false;
    await world.clock.advance(PROOF_RETRY_MS);
    await soon(() => log.size === 1);
    await projector.stop();
    expect([log.size, logs.events.size]).toEqual([1, 1]);
  });

  test('a feed that came later than the proofs is told of everything from the first row on', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const logs = rig();
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    const first = follow(world, process, logs);
    await first.caughtUp();
    await first.stop();
    const later = { log: logs.log, events: rig().events };
    const projector = follow(world, process, later);
    await projector.caughtUp();
    await projector.stop();
    expect([later.log.size, later.events.size]).toEqual([1, 1]);
    expect(later.events.read(0, 10)).toEqual(logs.events.read(0, 10));
  });
});

describe('histories that are read late', () => {
  test('a refund is told of at the time it was seen, however late the feed is read', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    await world.drive(process.payments.pay(jobCall(world, await world.sign())));
    await world.clock.advance(60_000);
    const { rows } = await process.engine.list({ kind: 'errand', state: 'running' });
    for (const { id } of rows) await process.engine.tell(id, { type: 'CANCEL' });
    await world.clock.advance(1_000);
    const logs = rig();
    const projector = follow(world, process, logs);
    await projector.caughtUp();
    await projector.stop();
    const [settled, refunded] = logs.events.read(0, 10);
    expect([settled?.type, refunded?.type]).toEqual(['settlement.settled', 'settlement.refunded']);
    const afterMs = Date.parse(refunded?.at ?? '') - Date.parse(settled?.at ?? '');
    expect(afterMs).toBeGreaterThanOrEqual(60_000);
  });

  test('a long history is read in batches, and its position is kept', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const logs = rig();
    const { log } = logs;
    for (let n = 0; n < 300; n += 1) await process.engine.create('errand', `e${n}`, { goal: 'x' });
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    const projector = follow(world, process, logs);
    await projector.caughtUp();
    expect(log.size).toBe(1);
    expect(log.position).toBeGreaterThan(255);
    await projector.stop();
    const again = follow(world, process, logs);
    await again.caughtUp();
    await again.stop();
    expect(log.size).toBe(1);
  });
});

test('the name of a decision does not tell the job id that opens its result', () => {
  const ref = toConsensusRef('job_secret');
  expect(ref).toMatch(/^con_[0-9a-f]{64}$/);
  expect(ref).not.toContain('secret');
});
