import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Projection } from '../../../src/actors/proof/projector.ts';
import { EVENT_DATA, type EventType } from '../../../src/domain/event/catalog.ts';
import type { NewPublicEvent } from '../../../src/domain/event/event-log.ts';
import type { NewProof } from '../../../src/domain/proof/proof-log.ts';
import { ReputationLedger } from '../../../src/domain/reputation/ledger.ts';
import {
  askedFor,
  beginTenDollars,
  signMove,
  type WorkProcess,
  type WorkWorld,
  workWorld,
} from '../../support/work-world.ts';

const HOUR = 3_600_000;
const bytes = new TextEncoder().encode('done');
const sha = createHash('sha256').update(bytes).digest('hex');

/** Everything that is told of all rows, each row asked as often as given. */
async function toldBy({ engine, projectors }: WorkProcess, times = 1): Promise<Projection> {
  const events = new Map<string, NewPublicEvent>();
  const proofs = new Map<string, NewProof>();
  const rows = await engine.feedRows(0, 1_000);
  const asked = Array.from({ length: times }, () => rows).flat();
  for (const row of asked) {
    const projector = projectors.find(({ kind }) => kind === row.kind);
    if (projector?.after.includes(row.event.type) !== true) continue;
    const told = await projector.project(await engine.view(row.id), row);
    for (const event of told.events) expectSame(events, event.key, event);
    for (const proof of told.proofs) expectSame(proofs, proof.key, proof);
  }
  return { events: [...events.values()], proofs: [...proofs.values()] };
}

function expectSame<Row>(known: Map<string, Row>, key: string, row: Row): void {
  if (known.has(key)) expect(row).toEqual(known.get(key));
  known.set(key, row);
}

async function released(world: WorkWorld, process: WorkProcess, funding: 'escrow' | 'on_release') {
  const { board } = process;
  const { buyer, provider, clock } = world;
  const job = await beginTenDollars(world, board, funding);
  const isEscrow = funding === 'escrow';
  const signature = isEscrow ? await signMove(provider, job, 'fulfil', sha) : undefined;
  const work = { deliverable: bytes, mimeType: 'text/plain' };
  await world.drive(board.fulfil(job.job_id, work, signature, provider.call('fulfil')));
  const by = buyer.call('complete');
  if (isEscrow) {
    const now = await board.readJob(job.job_id);
    const moveSignature = await signMove(buyer, now, 'release');
    await world.drive(board.complete(job.job_id, { moveSignature }, by));
  } else {
    await clock.advance(73 * HOUR);
    const offer = askedFor(await board.complete(job.job_id, {}, by));
    const payment = await buyer.payer.pay(offer, { now: clock.now() });
    await world.drive(board.complete(job.job_id, { payment }, by));
  }
  return job.job_id;
}

test.each([
  ['escrow', ['request.posted', 'bid.placed', 'job.opened', 'job.escrowed']],
  ['on_release', ['request.posted', 'bid.placed', 'job.opened']],
] as const)(
  'the feed tells a job of %s in full, in the shapes of the catalog',
  async (funding, first) => {
    const world = workWorld();
    const process = await world.start();
    const jobId = await released(world, process, funding);
    const { events } = await toldBy(process, 2);
    const isLate = funding === 'on_release';
    expect(events.map(({ type }) => type)).toEqual([
      ...first,
      ...['job.fulfilled', ...(isLate ? ['job.expired_unreleased'] : []), 'job.released'],
    ]);
    for (const { type, data } of events) {
      expect([type, EVENT_DATA[type as EventType].safeParse(data).error]).toEqual([
        type,
        undefined,
      ]);
    }
    const { buyer, provider } = world;
    const end = events.at(-1);
    expect(end).toMatchObject({
      ref: jobId,
      subjects: [buyer.wallet.address, provider.wallet.address],
      data: {
        price: '10000000',
        net: '8000000',
        fee: '2000000',
        fee_bps: 2000,
        is_late: isLate,
        is_automatic: false,
        deliverable_sha256: sha,
      },
    });
    expect(JSON.stringify(events)).not.toContain('Translate');
  },
);

test('a release leaves proofs of service and settlement, and what a witness saw', async () => {
  const world = workWorld();
  const process = await world.start();
  const jobId = await released(world, process, 'escrow');
  const { proofs } = await toldBy(process);
  // What a SHADOW control recorded is not found beside the records of the job.
  expect(proofs.map(({ kind, key, ref }) => [kind, key, ref])).toEqual([
    [30020, `${jobId}:escrowed`, jobId],
    [30016, `${jobId}:fulfilled`, jobId],
    [30020, `${jobId}:released`, jobId],
    [30013, `${jobId}:witness`, jobId],
    [30013, `${jobId}:evidence`, `shadow_${jobId}`],
  ]);
  expect(proofs[0]?.payload).toMatchObject({
    event: 'escrowed',
    price_micro_usd: '10000000',
    fee_bps: 2000,
    transaction: expect.stringMatching(/^0x/),
  });
  expect(proofs[2]?.payload).toMatchObject({
    net_micro_usd: '8000000',
    fee_micro_usd: '2000000',
    is_late: false,
  });
  expect(proofs[3]?.payload).toMatchObject({ control: 'LIVE', score: 100 });
});

test('a witness score in shadow is marked by where it is found', async () => {
  const world = workWorld();
  await world.controls.change('witness-scoring', { to: 'SHADOW' } as never);
  const process = await world.start();
  const jobId = await released(world, process, 'on_release');
  const { proofs } = await toldBy(process);
  const seen = proofs.filter(({ kind }) => kind === 30013).map(({ ref }) => ref);
  expect(seen).toEqual([`shadow_${jobId}`, `shadow_${jobId}`]);
});

test('work that was bid for on release and never came is told, and counts', async () => {
  const world = workWorld();
  const process = await world.start();
  const { job_id } = await beginTenDollars(world, process.board, 'on_release');
  await world.clock.advance(500 * HOUR);
  expect((await process.board.readJob(job_id)).state).toBe('lapsed');
  const { events } = await toldBy(process, 2);
  const end = events.at(-1);
  expect(end).toMatchObject({
    type: 'job.lapsed',
    ref: job_id,
    data: { reason: 'unfulfilled', provider: world.provider.wallet.address, price: '10000000' },
  });
  const ledger = new ReputationLedger();
  for (const [seq, { type, ref, subjects, data }] of events.entries()) {
    ledger.process({ seq, type, ref, subjects, data, at: '2026-01-01T00:00:00.000Z' } as never);
  }
  expect(ledger.reputationFor(world.provider.wallet.address)).toMatchObject({ unfulfilled: 1 });
});

test('the evidence bundle classifies every completion in shadow, and acts on nothing', async () => {
  const tiers: unknown[] = [];
  for (const funding of ['escrow', 'on_release'] as const) {
    const world = workWorld();
    const process = await world.start();
    const jobId = await released(world, process, funding);
    const { proofs } = await toldBy(process);
    const logged = proofs.find(({ key }) => key === `${jobId}:evidence`);
    expect(logged?.payload).toMatchObject({ control: 'SHADOW', acted: false });
    tiers.push(logged?.payload['tier']);
    expect(JSON.stringify(await process.board.readJob(jobId))).not.toContain('tier');
  }
  expect(tiers).toEqual(['on_chain', 'witnessed']);
});

test('a verdict is proven as an adjudication, and the refund says why', async () => {
  const world = workWorld();
  const process = await world.start();
  const { board } = process;
  const { buyer, provider } = world;
  const job = await beginTenDollars(world, board, 'escrow');
  const id = job.job_id;
  const signature = await signMove(provider, job, 'fulfil', sha);
  const work = { deliverable: bytes, mimeType: 'text/plain' };
  const fulfilled = await world.drive(board.fulfil(id, work, signature, provider.call('f')));
  const hash = createHash('sha256').update('no').digest('hex');
  const moved = await signMove(buyer, fulfilled, 'dispute', hash);
  await world.drive(board.dispute(id, 'no', moved, buyer.call('d')));
  await world.drive(board.decide(id, { upheld: 'buyer', why: 'it is empty' }));
  const { events, proofs } = await toldBy(process, 2);
  expect(events.slice(-3).map(({ type }) => type)).toEqual([
    ...['job.disputed', 'job.decided', 'job.refunded'],
  ]);
  expect(events.at(-1)?.data).toMatchObject({ reason: 'decided', amount: '10000000' });
  const verdict = proofs.find(({ kind }) => kind === 30021);
  expect(verdict?.payload).toMatchObject({ upheld: 'buyer', why: 'it is empty' });
});
