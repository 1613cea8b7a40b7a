import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { CaseView } from '../../src/domain/arbitration/case-view.ts';
import { liveBoard, type Trader } from '../support/live-board.ts';
import { payingClient } from '../support/paying-client.ts';
import { proves } from '../support/proves.ts';
import {
  balanceOf,
  cleanUp,
  cliPath,
  freshDataDir,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

const TOOL = 'arbitration_dispute-settlement';
const run = promisify(execFile);

afterAll(cleanUp);

async function handIn(server: RealServer, { wallet }: Trader, jobId: string, given: object) {
  const path = `/a2a/jobs/${jobId}/evidence`;
  const body = JSON.stringify(given);
  const header = await wallet.header({ method: 'POST', path, body });
  const answer = await fetch(`${server.ready.base_url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stoa-wallet': header },
    body,
  });
  return { status: answer.status, view: (await answer.json()) as CaseView & { error?: string } };
}

test('both sides hand in over HTTP and MCP, a kill follows, and the signed verdict moves the escrow', {
  timeout: 240_000,
}, async () => {
  proves('C4.3.t4.c1', 'C4.3.t4.c2', 'C4.3.t4.c3', 'C8.s1.c16');
  const dataDir = freshDataDir();
  let server = await startRealServer(dataDir);
  const board = await liveBoard(() => server, '10.00');
  const { job_id: jobId } = await board.hire('escrow', '10.00');
  await board.fulfil(jobId);
  const words = { reason: 'That is not what was asked for.' };
  await board.move(board.buyer, jobId, { name: 'dispute', path: 'dispute', words });

  const stranger = await payingClient(server, '10');
  const refused = await stranger.buy(TOOL, { job_id: jobId });
  expect(refused.structuredContent).toMatchObject({ error: 'NOT_THE_PARTY' });
  expect(await balanceOf(server, stranger.payer.address)).toBe(10_000_000n);

  const client = await payingClient(server, '10', board.buyer.payer);
  const filed = await client.buy(TOOL, { job_id: jobId });
  expect(filed.structuredContent).toMatchObject({ kind: 'arbitration', mode: 'rules_only' });
  expect(filed.structuredContent['cost']).toMatchObject({ price: { amount: '5.00' } });
  const caseId = String(filed.structuredContent['job_id']);
  const again = await client.buy(TOOL, { job_id: jobId });
  expect(again.structuredContent).toMatchObject({ error: 'DISPUTE_OPEN' });
  expect(await balanceOf(server, client.payer.address)).toBe(5_000_000n);

  const complaint = { evidence: [{ text: 'It is the wrong work.' }], is_last: true };
  const given = await handIn(server, board.buyer, jobId, complaint);
  expect([given.status, given.view.your_side]).toEqual([200, 'claimant']);
  await server.kill();

  server = await startRealServer(dataDir);
  const next = await payingClient(server, '1');
  const body = JSON.stringify({
    evidence: [{ text: 'True.', claims: [{ fact: 'claim_admitted', value: 'true' }] }],
    is_last: true,
  });
  const path = `/a2a/jobs/${jobId}/evidence`;
  const stoaWallet = await board.provider.wallet.header({ method: 'POST', path, body });
  const evidence = { body, stoa_wallet: stoaWallet };
  const replied = await next.call('get_result', { job_id: jobId, evidence });
  expect(replied.structuredContent).toMatchObject({ your_side: 'respondent' });

  await until(async () => (await board.job(jobId)).state === 'refunded');
  expect((await board.job(jobId)).dispute?.verdict).toBe('buyer');
  expect(await balanceOf(server, board.buyer.payer.address)).toBe(15_000_000n);
  const { structuredContent: state } = await next.call('get_result', { job_id: caseId });
  const result: unknown = state['result'];
  expect(result).toMatchObject({
    winner: { option_id: 'overturned' },
    payload: { arbiter: 'panel of the operator of this service', in_favour_of: 'buyer' },
  });
  const file = join(dataDir, 'verdict.json');
  writeFileSync(file, JSON.stringify(result));
  const { stdout } = await run(process.execPath, [await cliPath(), 'verify', file]);
  expect(stdout).toContain('arbitration_verdict');
  const records = `${server.ready.base_url}/v1/proofs/records?ref=${jobId}`;
  await until(async () =>
    /"adjudicated"|ProofOfAdjudication/.test(await (await fetch(records)).text()),
  );
  const late = await handIn(server, board.buyer, jobId, { is_last: true });
  expect([late.status, late.view.error]).toEqual([409, 'EVIDENCE_LATE']);
  await Promise.all([client, stranger, next].map((one) => one.close().catch(() => undefined)));
  await server.stop();
});
