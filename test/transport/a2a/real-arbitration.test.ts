import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CaseView } from '../../../src/domain/arbitration/case-view.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import type { BidView, JobView, RequestView } from '../../../src/domain/escrow/work.ts';
import { type BoardService, boardService } from '../../support/board-service.ts';

const WORK = { body: { text: 'bonjour' }, hash: sha256Hex('bonjour') };
const reason = 'That is not what was asked for.';
const admits = { text: 'That is true.', claims: [{ fact: 'claim_admitted', value: 'true' }] };

let service: BoardService;
beforeAll(async () => {
  service = await boardService('node');
});
afterAll(() => service.close());

async function read<Value>(answer: Response): Promise<Value> {
  const body = (await answer.json()) as Value;
  if (!answer.ok) throw new Error(`${answer.status}: ${JSON.stringify(body)}`);
  return body;
}

/** A job of 20 dollars in escrow, delivered and disputed, with its arbitration. */
async function contested(caseId: string): Promise<string> {
  const { buyer, provider } = service;
  const order = {
    capability_id: 'translation',
    task_description: 'hello',
    budget_usd: '20.00',
    funding: 'escrow',
  };
  const { request_id } = await read<RequestView>(await buyer.ask('/a2a/requests', order));
  const path = `/a2a/requests/${request_id}/bids`;
  const bid = await read<BidView>(await provider.ask(path, { price_usd: '20.00' }));
  const job = await read<JobView>(await buyer.ask(`/a2a/bids/${bid.bid_id}/accept`));
  await read(await provider.move(job.job_id, 'fulfil', WORK));
  const hash = createHash('sha256').update(reason).digest('hex');
  await read(await buyer.move(job.job_id, 'dispute', { body: { reason }, hash }));
  await service.arbitrate(job.job_id, caseId);
  return job.job_id;
}

async function ended(jobId: string): Promise<JobView> {
  for (let looks = 0; looks < 200; looks += 1) {
    const job = await read<JobView>(await service.get(`/a2a/jobs/${jobId}`));
    if (job.state === 'released' || job.state === 'refunded') return job;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('the job has not ended');
}

describe('a verdict moves what the escrow holds:', () => {
  test('to the buyer, where the provider gives way', async () => {
    const { buyer, provider, chain } = service;
    const jobId = await contested('case_1');
    const before = BigInt(await chain.balance(buyer.wallet.address));
    const path = `/a2a/jobs/${jobId}/evidence`;
    const complaint = { evidence: [{ text: 'It is the wrong word.' }], is_last: true };
    expect(await read(await buyer.ask(path, complaint))).toMatchObject({ your_side: 'claimant' });
    await read(await provider.ask(path, { evidence: [admits], is_last: true }));
    expect(await ended(jobId)).toMatchObject({ state: 'refunded', dispute: { verdict: 'buyer' } });
    expect(BigInt(await chain.balance(buyer.wallet.address)) - before).toBe(20_000_000n);
    const told = `/a2a/jobs/${jobId}/arbitration`;
    const view = await read<CaseView>(await provider.ask(told, undefined, 'GET'));
    expect(view.payload).toMatchObject({
      verdict: 'overturned',
      in_favour_of: 'buyer',
      arbiter: 'panel of the operator of this service',
    });
    const late = await buyer.ask(path, { is_last: true });
    expect([late.status, await late.json()]).toMatchObject([409, { error: 'EVIDENCE_LATE' }]);
  });

  test('to the provider, where the buyer shows nothing', async () => {
    const { buyer, provider, chain } = service;
    const jobId = await contested('case_2');
    const before = BigInt(await chain.balance(provider.wallet.address));
    const path = `/a2a/jobs/${jobId}/evidence`;
    await read(await buyer.ask(path, { is_last: true }));
    await read(await provider.ask(path, { is_last: true }));
    const job = await ended(jobId);
    expect(job).toMatchObject({ state: 'released', dispute: { verdict: 'provider' } });
    expect(BigInt(await chain.balance(provider.wallet.address)) - before).toBe(16_000_000n);
  });
});

test('the operator’s own verdict stays possible while an arbitration runs, and is the one', async () => {
  const { buyer, provider } = service;
  const jobId = await contested('case_3');
  await read(await service.decide(jobId, { upheld: 'provider', why: 'As seen.' }));
  const path = `/a2a/jobs/${jobId}/evidence`;
  await read(await buyer.ask(path, { is_last: true }));
  await read(await provider.ask(path, { evidence: [admits], is_last: true }));
  expect(await ended(jobId)).toMatchObject({ state: 'released', dispute: { verdict: 'provider' } });
});
