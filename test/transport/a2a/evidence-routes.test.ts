import { afterEach, describe, expect, test } from 'vitest';
import type { Arbitrations } from '../../../src/domain/arbitration/arbitrations.ts';
import type { CaseView } from '../../../src/domain/arbitration/case-view.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import { type BoardWorld, boardWorld } from '../../support/board-world.ts';
import { signingWallet } from '../../support/signing-wallet.ts';

const PATH = '/a2a/jobs/board_1/evidence';
const wallet = signingWallet();
const worlds: BoardWorld[] = [];

afterEach(async () => {
  for (const { rig } of worlds.splice(0)) await rig.front.close();
});

async function opened(engine: 'node' | 'uws', give: Arbitrations['submitEvidence']) {
  const asked: unknown[] = [];
  const arbitrations: Arbitrations = {
    submitEvidence: (jobId, order, by) => {
      asked.push([jobId, order, by.wallet]);
      return give(jobId, order, by);
    },
    read: async (jobId, by) => ({ board_job_id: jobId, of: by.wallet }) as unknown as CaseView,
  };
  const world = await boardWorld(engine, async () => ({}), arbitrations);
  worlds.push(world);
  return { world, asked };
}

describe.each(['node', 'uws'] as const)('on %s', (engine) => {
  test('evidence under a wallet’s signature reaches the arbitration of the job', async () => {
    const view = { kind: 'arbitration_case' } as unknown as CaseView;
    const { world, asked } = await opened(engine, async () => view);
    const json = { evidence: [{ text: 'It is late.' }] };
    const answer = await world.ask(PATH, { method: 'POST', wallet, json });
    expect([answer.status, await answer.json()]).toEqual([200, view]);
    const order = { evidence: [{ text: 'It is late.', claims: [] }], names: [], is_last: false };
    expect(asked).toEqual([['board_1', order, wallet.address]]);
    const read = await world.ask('/a2a/jobs/board_1/arbitration', { wallet });
    expect(await read.json()).toEqual({ board_job_id: 'board_1', of: wallet.address });
  });

  test.each([
    ['nobody’s signature', { json: {} }, 401, 'WALLET_REQUIRED'],
    ['no JSON', { wallet, body: '{' }, 422, 'INPUT_INVALID'],
    ['an empty text', { wallet, json: { evidence: [{ text: ' ' }] } }, 422, 'INPUT_INVALID'],
    ['a claim on something else', badClaim(), 422, 'INPUT_INVALID'],
    ['too many pieces', tooMany(), 422, 'INPUT_INVALID'],
    ['a member that is none', { wallet, json: { verdict: 'upheld' } }, 422, 'INPUT_INVALID'],
    ['a body that is too large', huge(), 413, 'BODY_TOO_LARGE'],
  ])('%s is refused before the arbitration', async (_name, how, status, code) => {
    const { world, asked } = await opened(engine, () => Promise.reject(new AppError('INTERNAL')));
    const answer = await world.ask(PATH, { method: 'POST', ...how });
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
      status,
      code,
    ]);
    expect(asked).toEqual([]);
  });

  test('a refusal comes with its code', async () => {
    const late = new AppError('EVIDENCE_LATE', { data: { received: 'x', allowed: 'y' } });
    const { world } = await opened(engine, () => Promise.reject(late));
    const answer = await world.ask(PATH, { method: 'POST', wallet, json: { is_last: true } });
    expect([answer.status, await answer.json()]).toMatchObject([409, { error: 'EVIDENCE_LATE' }]);
  });
});

function badClaim() {
  const claims = [{ fact: 'weather', value: 'true' }];
  return { wallet, json: { evidence: [{ text: 'It rained.', claims }] } };
}

function tooMany() {
  const evidence = Array.from({ length: 13 }, (_, at) => ({ text: `${at}` }));
  return { wallet, json: { evidence } };
}

function huge() {
  return { wallet, json: { evidence: [{ text: 'x'.repeat(300_000) }] } };
}
