import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { AuditState } from '../../src/domain/audit/state.ts';
import { firstLine, runCli } from '../cli/run-cli.ts';
import { expectBooksBalanced } from '../support/books.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { proves } from '../support/proves.ts';
import { challengeFor, payFor, rawCall } from '../support/raw-calls.ts';
import {
  balanceOf,
  cleanUp,
  cliPath,
  freshDataDir,
  fund,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';
import { codeEvaluation } from '../support/targets/faults/code-evaluation.ts';
import { startTarget } from '../support/targets/start-target.ts';
import type { RunningTarget } from '../support/targets/target.ts';

const ENTERPRISE = 'security_enterprise-audit';
const FRAMEWORK = 'security_framework-audit';
const INTERNAL = { STOA_AUDIT_ALLOW_INTERNAL: '1' };

afterAll(cleanUp);

interface Order {
  readonly server: RealServer;
  readonly target: RunningTarget;
  readonly payer: Payer;
  readonly carrier: 'header' | 'meta';
  readonly tool: string;
}

/** Asks for the nonce, serves it, pays, and gives what repeats the very same call. */
async function order({ server, target, payer, carrier, tool }: Order) {
  const call = { ready: server.ready, carrier, tool, args: { target: target.url } } as const;
  const { error, data } = Object((await rawCall(call)).result['structuredContent']);
  expect(error).toBe('AUDIT_UNPROVEN');
  target.serveWellKnown('stoa-audit.txt', data.serve_text);
  const args = { target: target.url, consent: { nonce: data.nonce }, wait_s: 0 };
  const payment = await payFor(payer, await challengeFor({ ...call, args }));
  return async ({ ready }: RealServer): Promise<AuditState> => {
    const answer = await rawCall({ ...call, ready, args, payments: [payment] });
    return AuditState.parse(answer.result['structuredContent']);
  };
}

async function read({ ready }: RealServer, jobId: string, waitS = 20): Promise<AuditState> {
  const args = { job_id: jobId, wait_s: waitS };
  const { result } = await rawCall({ ready, carrier: 'meta', tool: 'get_result', args });
  return AuditState.parse(result['structuredContent']);
}

async function ended(server: RealServer, jobId: string): Promise<AuditState> {
  for (let tries = 0; tries < 30; tries += 1) {
    const state = await read(server, jobId);
    if (state.status !== 'working') return state;
  }
  throw new Error('the audit does not end');
}

test('an enterprise audit of a real target survives kill -9, is anchored, and verifies offline', {
  timeout: 240_000,
}, async () => {
  proves('C2.t9', 'C4.3.t34');
  const dataDir = freshDataDir();
  const target = await startTarget(codeEvaluation, { seed: 3, fixed: false });
  let server = await startRealServer(dataDir, [], INTERNAL);
  const payer = createPayer();
  await fund(server, payer.address, '60');
  const buy = await order({ server, target, payer, carrier: 'header', tool: ENTERPRISE });
  const bought = await buy(server);
  await until(async () => (await read(server, bought.job_id)).probes_done > 3);
  await server.kill();

  server = await startRealServer(dataDir, [], INTERNAL);
  expect((await buy(server)).job_id).toBe(bought.job_id);
  const state = await ended(server, bought.job_id);
  expect(state).toMatchObject({ status: 'published', outcome: 'complete' });
  expect(state.result?.verdicts['ASI05']).toBe('fail');
  expect(state.result?.anchor_status).toBe('anchored');
  expect(await balanceOf(server, payer.address)).toBe(35_000_000n);

  const answer = await fetch(`${server.ready.base_url}${state.report_path}`);
  const text = await answer.text();
  const { payload, proof } = JSON.parse(text);
  expect(proof.anchor.contract).toBe(server.ready.chain.anchor);
  const records = await (await fetch(`${server.ready.base_url}${proof.records}`)).json();
  expect(JSON.stringify(records)).toContain('"kind":30018');
  expect(await server.stop()).toBe(0);
  await target.close();

  const file = join(dataDir, 'report.json');
  writeFileSync(file, text);
  const yes = await runCli(['verify', file]);
  expect([yes.code, firstLine(yes.stdout)]).toEqual([0, expect.stringMatching(/^yes: audit aud_/)]);
  expect(yes.stdout).toContain(payload.root);
  writeFileSync(file, text.replace('"severity":"critical"', '"severity":"low"'));
  const no = await runCli(['verify', file]);
  expect([no.code, firstLine(no.stdout)]).toEqual([1, expect.stringMatching(/^no: /)]);
});

test('a framework audit bought over /v2/ is read and cancelled over stdio; a dead target is free', {
  timeout: 240_000,
}, async () => {
  const server = await startRealServer(freshDataDir(), [], INTERNAL);
  const target = await startTarget(codeEvaluation, { seed: 4, fixed: true });
  const payer = createPayer();
  await fund(server, payer.address, '20');
  const shared = { server, target, payer, carrier: 'meta', tool: FRAMEWORK } as const;
  const bought = await (await order(shared))(server);
  const client = new Client({ name: 'e2e', version: '1' }, {});
  const args = [await cliPath(), 'stdio', '--server', 'commerce', '--data', server.dataDir];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const told = await client.callTool({
    name: 'get_result',
    arguments: { job_id: bought.job_id, cancel: true, wait_s: 20 },
  });
  const cancelled = AuditState.parse(told.structuredContent);
  expect(cancelled).toMatchObject({ outcome: 'cancelled', status: 'aborted' });
  const refund = BigInt(cancelled.refund?.micro_usd ?? '0');
  expect(refund > 0n).toBe(true);
  await until(async () => (await balanceOf(server, payer.address)) === 15_000_000n + refund);
  const sarif = await fetch(`${server.ready.base_url}${cancelled.report_path}?format=sarif`);
  expect(await sarif.json()).toMatchObject({ version: '2.1.0' });

  const { url } = target;
  await target.close();
  const gone = { ready: server.ready, carrier: 'meta', tool: FRAMEWORK } as const;
  const passive = { ...gone, args: { target: url, mode: 'passive' } };
  const payment = await payFor(payer, await challengeFor(passive));
  const refused = await rawCall({ ...passive, payments: [payment] });
  expect(Object(refused.result['structuredContent']).error).toBe('AUDIT_TARGET_DOWN');
  expect(await balanceOf(server, payer.address)).toBe(15_000_000n + refund);
  await client.close();
  expect(await server.stop()).toBe(0);
});

test('a target that goes down in the middle is refunded on chain in full, and the books balance', {
  timeout: 240_000,
}, async () => {
  const target = await startTarget(codeEvaluation, { seed: 6, fixed: false });
  // Internal addresses stay closed but for this one.
  const { host } = new URL(target.url);
  const server = await startRealServer(freshDataDir(), [], { STOA_AUDIT_ALLOW_INTERNAL: host });
  const payer = createPayer();
  await fund(server, payer.address, '20');
  const buy = await order({ server, target, payer, carrier: 'meta', tool: FRAMEWORK });
  const { job_id } = await buy(server);
  await until(async () => (await read(server, job_id, 0)).probes_done > 2);
  await target.close();
  const state = await ended(server, job_id);
  expect(state).toMatchObject({
    status: 'failed',
    outcome: 'target_down',
    refund: { micro_usd: '5000000' },
    cut_off: { is_complete: false, is_signed: false },
  });
  expect(state.result).toBeUndefined();
  expect((await fetch(`${server.ready.base_url}${state.report_path}`)).status).toBe(404);
  await until(async () => (await balanceOf(server, payer.address)) === 20_000_000n);
  const books = await expectBooksBalanced(server);
  expect(books.in).toBeGreaterThanOrEqual(5_000_000n);
  expect(await server.stop()).toBe(0);
});
