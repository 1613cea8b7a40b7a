import { afterAll, beforeAll, expect, test } from 'vitest';
import { proofRoutes } from '../../../src/transport/proof/proof-routes.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';
import { realClock } from '../../support/real-clock.ts';

const RECORDS = 7;
let rig: ProofRig;
let front: FrontRig;

beforeAll(async () => {
  rig = proofRig();
  const verifierKey = rig.keys.verifierKey;
  const routes = proofRoutes({
    log: rig.log,
    verifierKey,
    clock: realClock,
    isComing: async () => false,
  });
  front = await startFront('node', { routes });
});
afterAll(async () => {
  await front.front.close();
  await rig.close();
});

async function list(query: string) {
  const answer = await fetch(`${front.baseUrl}/v1/proofs/records?${query}`);
  const told = (await answer.json()) as {
    readonly size: number;
    readonly next: number | null;
    readonly records: readonly { readonly seq: number }[];
    readonly error?: string;
  };
  return { status: answer.status, ...told, seqs: told.records?.map(({ seq }) => seq) };
}

test('an empty log lists nothing', async () => {
  expect(await list('limit=5')).toMatchObject({ status: 200, size: 0, seqs: [], next: null });
});

test('records are listed the newest first, and each page says where the next one begins', async () => {
  for (let n = 0; n < RECORDS; n += 1) {
    const ref = `job_${n}`;
    await rig.log.append({ kind: 30016, key: ref, ref, subject: '0xme', payload: {} });
  }
  expect(await list('limit=3')).toMatchObject({ size: RECORDS, seqs: [6, 5, 4], next: 3 });
  expect(await list('from=3&limit=3')).toMatchObject({ seqs: [3, 2, 1], next: 0 });
  expect(await list('from=0&limit=3')).toMatchObject({ seqs: [0], next: null });
});

test('a page that is too large, too far or not a number is refused', async () => {
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=3&from=7', 'limit=3&since=1']) {
    expect(await list(query), query).toMatchObject({ status: 422, error: 'INPUT_INVALID' });
  }
});
