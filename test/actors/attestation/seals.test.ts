import { afterEach, beforeEach, expect, test } from 'vitest';
import { sealProjector } from '../../../src/actors/attestation/seal-definition.ts';
import {
  issueSeal,
  readSeal,
  redeemSeal,
  SEAL_LIFE_MS,
  type SealState,
} from '../../../src/actors/attestation/seals.ts';
import type { AppError } from '../../../src/domain/common/error.ts';
import { SEAL_REFUSALS_MAX } from '../../../src/machines/attestation/seal.ts';
import { paymentIdOf, type SealWorld, sealWorld } from '../../support/seal-world.ts';

const SHA = 'd'.repeat(64);
const MAKER = `0x${'a'.repeat(40)}`;
const ORDER = { deliverableSha256: SHA, agent: 'maker', agentId: null, wallet: MAKER };
let world: SealWorld;
let issued: SealState & { readonly capability: string };

beforeEach(async () => {
  world = await sealWorld();
  issued = await issueSeal(world.seals, paymentIdOf(1), ORDER);
});
afterEach(() => world.close());

function use(payment: number, deliverableSha256 = SHA) {
  const { capability, seal } = issued;
  const order = { capability, sealId: seal.sealId, deliverableSha256 };
  return redeemSeal(world.seals, { ...order, paymentId: paymentIdOf(payment) });
}

async function refusalOf(payment: number, deliverableSha256 = SHA): Promise<AppError> {
  return use(payment, deliverableSha256).then(
    () => {
      throw new Error('it is refused');
    },
    (thrown: AppError) => thrown,
  );
}

const events = () => {
  const { log } = world.rig;
  const records = log.find(issued.seal.sealId, 100);
  return records.map(({ seq }) => log.payload(seq)?.payload['event']);
};

test('a seal is issued once for a payment, with the same capability, and leaves a proof', async () => {
  const again = await issueSeal(world.seals, paymentIdOf(1), ORDER);
  expect(again).toEqual(issued);
  expect(issued).toMatchObject({
    state: 'issued',
    record: { kind: 30016, ref: issued.seal.sealId },
  });
  expect(JSON.stringify(issued.seal)).not.toContain(issued.capability);
  const other = await issueSeal(world.seals, paymentIdOf(2), ORDER);
  expect(other.seal.sealId).not.toBe(issued.seal.sealId);
  expect(other.capability).not.toBe(issued.capability);
});

test('of many uses at once exactly one is taken; each other one names the first and is proven', async () => {
  const uses = Array.from({ length: 20 }, (_, n) => use(n + 10));
  const ended = await Promise.allSettled(uses);
  const taken = ended.filter(({ status }) => status === 'fulfilled');
  expect(taken).toHaveLength(1);
  const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  for (const error of refused) {
    expect(error).toMatchObject({
      code: 'SEAL_USED',
      data: { first_use: { deliverable_sha256: SHA } },
    });
    const { proof } = (error as AppError).data['first_use'] as { proof: string };
    expect(proof).toMatch(/^\/v1\/proofs\/\d+\.json$/);
  }
  expect(
    events()
      .map(String)
      .sort((a, b) => a.localeCompare(b)),
  ).toEqual([
    'seal_issued',
    'seal_redeemed',
    ...Array.from({ length: SEAL_REFUSALS_MAX }, () => 'seal_refused'),
  ]);
  expect((await readSeal(world.seals, issued.seal.sealId)).seal.refused).toBe(19);
});

test('the same payment once more is the same use, also after a restart', async () => {
  const first = await use(10);
  await world.restart();
  expect(await use(10)).toEqual(first);
  expect((await refusalOf(11)).code).toBe('SEAL_USED');
  expect((await refusalOf(11)).data['refusal_proof']).toMatch(/^\/v1\/proofs\/\d+\.json$/);
  expect((await readSeal(world.seals, issued.seal.sealId)).seal.refused).toBe(1);
});

test('another deliverable does not use the seal up, and is refused with a proof', async () => {
  const error = await refusalOf(10, 'e'.repeat(64));
  expect(error).toMatchObject({
    code: 'INPUT_INVALID',
    data: { received: 'e'.repeat(64), allowed: SHA, refusal_proof: expect.any(String) },
  });
  expect((await use(11)).state).toBe('redeemed');
});

test('only the holder of the capability uses it; a guess changes nothing', async () => {
  const { sealId } = issued.seal;
  const order = { sealId, deliverableSha256: SHA, paymentId: paymentIdOf(10) };
  await expect(
    redeemSeal(world.seals, { ...order, capability: 'cap_guess' }),
  ).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  expect((await readSeal(world.seals, sealId)).state).toBe('issued');
  expect(events()).toEqual(['seal_issued']);
});

test('a seal that nobody has is unknown, and so is an actor of another kind', async () => {
  for (const sealId of ['seal_0', `seal_${'0'.repeat(64)}`]) {
    await expect(readSeal(world.seals, sealId)).rejects.toMatchObject({ code: 'SEAL_UNKNOWN' });
  }
});

test('an unused seal ends with its time, and says so', async () => {
  await world.clock.advance(SEAL_LIFE_MS);
  expect(await refusalOf(10)).toMatchObject({
    code: 'MOVE_UNAVAILABLE',
    data: { state: 'expired' },
  });
});

test('a used seal stays used when its time is over', async () => {
  await use(10);
  await world.clock.advance(SEAL_LIFE_MS);
  expect((await readSeal(world.seals, issued.seal.sealId)).state).toBe('closed');
  expect((await refusalOf(11)).code).toBe('SEAL_USED');
});

test('its actor tells the proofs that were written at once, and a fork tells none', async () => {
  await use(10);
  await refusalOf(11);
  const { engine, proofs } = world.seals;
  const { sealId } = issued.seal;
  const [row] = await engine.feedRows(0, 1);
  if (row === undefined) throw new Error('there are rows');
  const before = proofs.size;
  const told = await sealProjector.project(await engine.view(sealId), row);
  expect(told.proofs).toHaveLength(3);
  await Promise.all(told.proofs.map((proof) => proofs.append(proof)));
  expect(proofs.size).toBe(before);
  const fork = await engine.fork(sealId, 1);
  expect((await sealProjector.project(await engine.view(fork.id), row)).proofs).toEqual([]);
});
