import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueSeal, readSeal, SEAL_LIFE_MS } from '../../../src/actors/attestation/seals.ts';
import { createActorEraser, ENDED_MIN_MS } from '../../../src/actors/proof/erase-actors.ts';
import { eraseSubject } from '../../../src/actors/proof/erase-subject.ts';
import { toBase64 } from '../../../src/domain/proof/base64.ts';
import { verifyProofFile } from '../../../src/domain/verification/proof-file.ts';
import { createProofEraser } from '../../../src/process/proof/evidence.ts';
import { verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { paymentIdOf, type SealWorld, sealWorld } from '../../support/seal-world.ts';

const ANN = `0x${'A'.repeat(40)}`;
let world: SealWorld;
beforeEach(async () => {
  world = await sealWorld();
  for (const [n, wallet] of [ANN.toLowerCase(), `${ANN.toLowerCase().slice(0, -1)}b`].entries()) {
    const order = { deliverableSha256: 'd'.repeat(64), agent: `agent${n}`, agentId: null, wallet };
    await issueSeal(world.seals, paymentIdOf(n), order);
  }
});
afterEach(() => world.close());

const actors = () => {
  const { engine, clock } = world.seals;
  return createActorEraser({
    engine,
    clock: { ...clock, now: () => world.clock.now() },
    kinds: ['seal'],
  });
};

test('finished actors of a subject go a day after their end; others and living ones stay', async () => {
  expect((await eraseSubject([actors()], ANN)).erased).toEqual({ 'finished actors': 0 });
  await world.clock.advance(SEAL_LIFE_MS);
  expect(await actors().erase(ANN.toLowerCase())).toBe(0);
  await world.clock.advance(ENDED_MIN_MS);
  expect(await actors().erase('agent')).toBe(0);
  expect((await eraseSubject([actors()], ` ${ANN} `)).erased).toEqual({ 'finished actors': 1 });
  expect((await world.seals.engine.list({ kind: 'seal' })).rows).toHaveLength(1);
});

test('what a record stands for goes, and the record still verifies', async () => {
  const { log, keys } = world.rig;
  expect((await eraseSubject([createProofEraser(log)], ANN)).erased).toEqual({ proofs: 1 });
  expect((await eraseSubject([createProofEraser(log)], ANN)).erased).toEqual({ proofs: 0 });
  expect([log.payload(0), log.payload(1)]).toEqual([undefined, expect.anything()]);
  const checkpoint = await log.checkpoint();
  const file = {
    v: 1,
    record: log.record(0),
    checkpoint,
    key: keys.verifierKey,
    inclusion: { seq: 0, size: 2, path: log.inclusion(0, 2).map(toBase64) },
  };
  expect(await verifyProofFile(file, { verify: verifyEd25519 })).toMatchObject({ isValid: true });
  expect((await readSeal(world.seals, log.record(0)?.ref ?? '')).record.seq).toBe(0);
});

test('what is no subject is refused', async () => {
  for (const text of ['', ' ', 'two words', 'x'.repeat(201)]) {
    await expect(eraseSubject([], text)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  }
});
