import { afterEach, describe, expect, test } from 'vitest';
import { PROOF_RETRY_MS, ProofProjector } from '../../../src/actors/proofs/projector.ts';
import type { ProofLog } from '../../../src/domain/ports/proof-log.ts';
import { consensusRef, settlementRef } from '../../../src/domain/proof/refs.ts';
import type { Life } from '../../support/mortal.ts';
import {
  inlineCall,
  jobCall,
  type PaymentWorld,
  type Process,
  paymentWorld,
} from '../../support/payment-world.ts';
import { type ProofRig, proofRig, soon } from '../../support/proof-rig.ts';

const STEPS_MAX = 60;
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
function mortalLog(log: ProofLog, life: Life): ProofLog {
  return new Proxy(log, {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== 'append' && name !== 'keepPosition') return member.bind(target);
      return (what: never) => life.step(() => member.call(target, what));
    },
  });
}

function follow(world: PaymentWorld, { engine }: Process, log: ProofLog): ProofProjector {
  return new ProofProjector({ engine, log, clock: world.clock, notice: () => undefined });
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
    const { log } = rig();
    projectors.push(follow(world, process, log));
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    await soon(() => log.size === 1);
    const id = await paymentId(process);
    const [record] = log.find(settlementRef(id), 10);
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
  });

  test('a payment that moved no money leaves nothing', async () => {
    const world = await paymentWorld('0');
    const process = await world.start();
    const { log } = rig();
    const projector = follow(world, process, log);
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    await projector.stop();
    expect(log.size).toBe(0);
    expect(log.position).toBeGreaterThan(0);
  });

  test('a copy of a payment proves nothing', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const { log } = rig();
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    const id = await paymentId(process);
    const real = process.engine;
    // The feed of a copy alone: its context names the payment that it is a copy of.
    const feedRows: typeof real.feedRows = async (from, limit) =>
      (await real.feedRows(from, limit)).map((row) => ({ ...row, id: 'copy' }));
    const engine = Object.assign(Object.create(real), {
      ...{ feedRows, view: () => real.view(id), feed: () => () => undefined },
    });
    const projector = new ProofProjector({
      ...{ engine, log, clock: world.clock, notice: () => undefined },
    });
    await projector.caughtUp();
    await projector.stop();
    expect(log.size).toBe(0);
  });
});

describe('what faults and long histories leave', () => {
  test.each(['before', 'after'] as const)(
    'a settlement and its refund are recorded once whichever step the process dies %s',
    async (when) => {
      for (let at = 1; at <= STEPS_MAX; at += 1) {
        const world = await paymentWorld();
        const { log } = rig();
        const call = jobCall(world, await world.sign());
        const first = await world.start({ at, when });
        follow(world, first, mortalLog(log, first.life));
        await buyAndCancel(world, first, call);
        if (!first.life.isOver) await soon(() => first.life.isOver || log.size === 2);
        const isThrough = !first.life.isOver;
        first.life.die();
        const second = await world.start();
        const projector = follow(world, second, log);
        await buyAndCancel(world, second, call);
        await world.clock.advance(3_600_000);
        await soon(() => log.size >= 2);
        await projector.stop();
        const told = [0, 1, 2].map((seq) => log.payload(seq)?.payload['event']);
        expect(told, `died ${when} step ${at}`).toEqual(['settled', 'refunded', undefined]);
        if (isThrough) return;
      }
      expect.unreachable('the story has more steps than the test looks at');
    },
    60_000,
  );

  test('a log that takes nothing for a while loses no payment', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const { log } = rig();
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
    const projector = new ProofProjector({ engine, log: weak, clock: world.clock, notice });
    await projector.caughtUp();
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    await soon(() => faults.length > 0);
    // Rows of others come meanwhile, and must not move the position past the failed one.
    await engine.create('errand', 'other', { goal: 'x' });
    isFull = false;
    await world.clock.advance(PROOF_RETRY_MS);
    await soon(() => log.size === 1);
    await projector.stop();
    expect(log.size).toBe(1);
  });

  test('a long history is read in batches, and its position is kept', async () => {
    const world = await paymentWorld();
    const process = await world.start();
    const { log } = rig();
    for (let n = 0; n < 300; n += 1) await process.engine.create('errand', `e${n}`, { goal: 'x' });
    await world.drive(process.payments.pay(inlineCall(world, await world.sign())));
    const projector = follow(world, process, log);
    await projector.caughtUp();
    expect(log.size).toBe(1);
    expect(log.position).toBeGreaterThan(255);
    await projector.stop();
    const again = follow(world, process, log);
    await again.caughtUp();
    await again.stop();
    expect(log.size).toBe(1);
  });
});

test('the name of a decision does not tell the job id that opens its result', () => {
  const ref = consensusRef('job_secret');
  expect(ref).toMatch(/^con_[0-9a-f]{64}$/);
  expect(ref).not.toContain('secret');
});
