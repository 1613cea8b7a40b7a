import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRecords } from '../../../src/actors/proof/open-records.ts';
import { sealPayload } from '../../../src/domain/proof/record.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';

const BUYER = `0x${'a1'.repeat(20)}`;
const PROVIDER = `0x${'b2'.repeat(20)}`;
const STRANGER = `0x${'c3'.repeat(20)}`;
let rig: ProofRig;

beforeAll(async () => {
  rig = proofRig();
  const facts = { buyer: BUYER, provider: PROVIDER };
  await rig.log.append({
    kind: 30020,
    key: 'escrowed',
    ref: 'job_1',
    subject: BUYER,
    payload: { event: 'escrowed', ...facts, price_micro_usd: '10000000' },
  });
  await rig.log.append({
    kind: 30013,
    key: 'witness',
    ref: 'job_1',
    subject: PROVIDER,
    payload: { event: 'witness_score', score: 80 },
  });
});
afterAll(() => rig.close());

test('a party reads what its records say, and can prove the amount by their hashes', () => {
  for (const wallet of [BUYER, PROVIDER]) {
    const [first] = openRecords(rig.log, 'job_1', wallet);
    expect(first?.opened.payload).toMatchObject({ price_micro_usd: '10000000' });
    expect(first?.record).toMatchObject(sealPayload(first?.opened as never).hashes);
    expect(first?.proof_file).toBe('/v1/proofs/0.json');
  }
});

test('each party reads the records that name it, and no others', () => {
  const events = (wallet: string) =>
    openRecords(rig.log, 'job_1', wallet).map(({ opened }) => opened.payload['event']);
  expect(events(BUYER)).toEqual(['escrowed']);
  expect(events(PROVIDER)).toEqual(['escrowed', 'witness_score']);
});

test('a stranger reads nothing, and what is erased is opened to nobody', async () => {
  expect(() => openRecords(rig.log, 'job_1', STRANGER)).toThrow(
    expect.objectContaining({ code: 'NOT_THE_PARTY' }),
  );
  expect(() => openRecords(rig.log, 'job_2', BUYER)).toThrow(
    expect.objectContaining({ code: 'PROOF_UNKNOWN' }),
  );
  await rig.log.erase(BUYER);
  expect(() => openRecords(rig.log, 'job_1', BUYER)).toThrow(
    expect.objectContaining({ code: 'NOT_THE_PARTY' }),
  );
});
