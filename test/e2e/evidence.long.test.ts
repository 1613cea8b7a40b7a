import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { firstLine, runCli } from '../cli/run-cli.ts';
import { type PayingClient, payingClient } from '../support/paying-client.ts';
import { proves } from '../support/proves.ts';
import {
  cleanUp,
  freshDataDir,
  type RealServer,
  startRealServer,
  until,
} from '../support/real-server.ts';

const SHA = 'd'.repeat(64);
const folder = mkdtempSync(join(tmpdir(), 'stoa-evidence-'));
const dataDir = freshDataDir();
const keyFile = join(folder, 'witness.json');
let server: RealServer;
let agent: PayingClient;
let witnessKey: string;

beforeAll(async () => {
  // The witness has its key before the server is told of it.
  const made = await runCli([
    'witness',
    '--log',
    'http://127.0.0.1:9',
    '--key-file',
    keyFile,
    '--once',
  ]);
  witnessKey = firstLine(made.stdout).replace('witness ', '');
  server = await startRealServer(dataDir, [], { STOA_WITNESS_KEYS: witnessKey });
  agent = await payingClient(server);
}, 240_000);
afterAll(async () => {
  await agent.close();
  await cleanUp();
  rmSync(folder, { recursive: true });
});

async function told(path: string): Promise<Record<string, never>> {
  return (await (await fetch(`${server.ready.base_url}${path}`)).json()) as Record<string, never>;
}

/** Saves an answer as a file, and gives its path. */
function saved(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

/** Records under a reference, once there are so many. */
async function recordsOf(ref: string, count: number): Promise<readonly { readonly seq: number }[]> {
  let records: readonly { readonly seq: number }[] = [];
  await until(async () => {
    records = (await told(`/v1/proofs/records?ref=${ref}`))['records'] ?? [];
    return records.length >= count;
  });
  return records;
}

test('a sealed deliverable is redeemed once; the second use is refused, proven and free', async () => {
  proves('C4.3.t5', 'C8.s1.c14');
  const file = join(folder, 'deliverable.txt');
  writeFileSync(file, 'the work');
  const { createHash } = await import('node:crypto');
  const deliverable_sha256 = createHash('sha256').update('the work').digest('hex');
  const tool = 'attestation_single-use-seal';
  const issued = await agent.buy(tool, { action: 'issue', deliverable_sha256, agent: 'maker' });
  expect(issued.isError, JSON.stringify(issued)).not.toBe(true);
  const { capability, payload } = issued.structuredContent as never as {
    capability: string;
    payload: { seal_id: string };
  };
  const { seal_id } = payload;
  const use = { action: 'redeem', seal_id, capability, deliverable_sha256 };
  const first = await agent.buy(tool, use);
  expect(first.structuredContent).toMatchObject({ payload: { state: 'redeemed' } });
  const second = await agent.buy(tool, { ...use });
  // The very same call under a fresh payment is a second use.
  expect(second).toMatchObject({
    isError: true,
    structuredContent: {
      error: 'SEAL_USED',
      data: { first_use: { proof: expect.stringMatching(/^\/v1\/proofs\/\d+\.json$/) } },
    },
  });
  expect(await recordsOf(seal_id, 3)).toHaveLength(3);
  const yes = await runCli([
    'verify',
    saved('seal.json', first.structuredContent),
    '--deliverable',
    file,
  ]);
  expect([yes.code, firstLine(yes.stdout)]).toEqual([
    0,
    expect.stringMatching(/^yes: single_use_seal_redeem/),
  ]);
  writeFileSync(file, 'other work');
  const no = await runCli(['verify', join(folder, 'seal.json'), '--deliverable', file]);
  expect([no.code, firstLine(no.stdout)]).toEqual([1, expect.stringContaining('the seal is for')]);
}, 120_000);

test('process and audit are attested under the signature of the treasury, each with a proof', async () => {
  proves('C4.3.t32.c1', 'C4.3.t32.c2', 'C4.3.t38', 'C8.s1.c13');
  const steps = [{ name: 'review', done_at: '2026-01-01T00:00:00.000Z', evidence_sha256: [SHA] }];
  const process = { name: 'release', required_steps: ['review', 'sign'] };
  const processed = await agent.buy('security_process-attestation', {
    process,
    steps,
    performed_by: 'maker',
  });
  const audited = await agent.buy('security_audit-attestation', {
    audited: 'maker',
    auditor: 'auditor',
    performed_at: '2026-01-01T00:00:00.000Z',
    result_sha256: SHA,
    verdict: 'mixed',
    summary: 'Two findings.',
  });
  expect(processed.structuredContent).toMatchObject({
    payload: {
      findings: { is_complete: false, missing_steps: ['sign'], is_in_order: true },
      does_not_attest: expect.stringContaining('took place'),
    },
  });
  expect(audited.structuredContent).toMatchObject({
    payload: { is_self_audit: false, does_not_attest: expect.stringContaining('did not run it') },
  });
  for (const [name, answer] of Object.entries({ processed, audited })) {
    const { proof, statement } = answer.structuredContent as never as {
      proof: { ref: string };
      statement: { signature: { signer: string } };
    };
    const [record] = await recordsOf(proof.ref, 1);
    expect(record).toMatchObject({ kind: 30011 });
    const file = saved(`${name}.json`, answer.structuredContent);
    const { signer } = statement.signature;
    const yes = await runCli(['verify', file, '--signer', signer]);
    expect([yes.code, firstLine(yes.stdout)], name).toEqual([0, expect.stringMatching(/^yes: /)]);
  }
}, 120_000);

test('the retired tool answers free, with the markets of its contract: none', async () => {
  proves('C4.3.t24', 'C3.s5', 'C3.s6');
  const answer = await agent.call('prediction_platform', { market: 'any' });
  expect(answer.isError).not.toBe(true);
  expect(answer.structuredContent).toMatchObject({
    status: 'retired',
    code: 'TOOL_RETIRED',
    charged: false,
    contract: { markets: '0', chain_id: server.ready.chain.id },
  });
}, 60_000);

test('a settlement is anchored and cosigned, and verifies offline and against the chain', async () => {
  const [settled] = await settlements();
  const settledRef = settled?.ref ?? '';
  const anchored = await runCli(['proofs', 'anchor', '--data', dataDir]);
  expect([anchored.code, anchored.stdout]).toEqual([0, expect.stringContaining('"anchored"')]);
  const settlement = await told(`/v1/proofs/settlement/${settledRef}`);
  expect(settlement).toMatchObject({
    proof_tier: 'anchored',
    anchor: {
      chain_id: server.ready.chain.id,
      contract: server.ready.chain.anchor,
      transaction: expect.stringMatching(/^0x/),
    },
  });
  const witnessed = await runCli([
    ...['witness', '--log', server.ready.base_url, '--key-file', keyFile, '--once'],
  ]);
  expect([witnessed.code, witnessed.stdout]).toEqual([0, expect.stringContaining('cosigned')]);
  const key = (await (await fetch(`${server.ready.base_url}/v1/proofs/key`)).text()).trim();
  const file = saved('settled.json', await told(`/v1/proofs/${settled?.seq}.json`));
  const rpc = server.ready.chain.rpc_url;
  const yes = await runCli(['verify', file, '--key', key, '--witness', witnessKey, '--rpc', rpc]);
  expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('The chain has the root')]);
  expect(yes.stdout).toContain('cosigned it at');

  const other = JSON.parse(readFileSync(file, 'utf8'));
  other.anchor.account = `0x${'1'.repeat(40)}`;
  const no = await runCli(['verify', saved('other.json', other), '--rpc', rpc]);
  expect([no.code, firstLine(no.stdout)]).toEqual([1, expect.stringContaining('does not hold')]);
}, 120_000);

test('a rotated key leaves old and new records whole; an erased payer leaves every proof', async () => {
  const before = await told('/v1/proofs/0.json');
  const rotated = await runCli(['proofs', 'rotate-key', '--data', dataDir]);
  const { kid } = JSON.parse(rotated.stdout);
  const bought = await agent.buy('attestation_single-use-seal', {
    action: 'issue',
    deliverable_sha256: SHA,
    agent: 'maker',
  });
  const { proof } = bought.structuredContent as never as { proof: { ref: string } };
  const [record] = await recordsOf(proof.ref, 1);
  expect(record).toMatchObject({ hmac: { kid } });
  expect((before['record'] as never as { hmac: { kid: string } }).hmac.kid).not.toBe(kid);

  const erased = await runCli(['erase', agent.payer.address, '--data', dataDir]);
  expect(erased.code, erased.stderr).toBe(0);
  expect(JSON.parse(erased.stdout)).toMatchObject({
    subject: agent.payer.address.toLowerCase(),
    erased: { proofs: expect.any(Number), payments: expect.any(Number) },
  });
  expect(JSON.parse(erased.stdout).erased.proofs).toBeGreaterThan(3);
  const size = ((await told('/v1/proofs/records?limit=1'))['size'] ?? 0) as number;
  for (let seq = 0; seq < size; seq += 1) {
    const yes = await runCli([
      'verify',
      saved(`${seq}.json`, await told(`/v1/proofs/${seq}.json`)),
    ]);
    expect(firstLine(yes.stdout), `${seq}`).toMatch(/^yes: /);
  }
}, 180_000);

test('a key is rotated on a stopped data directory too, and its records still verify', async () => {
  const key = (await (await fetch(`${server.ready.base_url}/v1/proofs/key`)).text()).trim();
  await server.stop();
  const rotated = await runCli(['proofs', 'rotate-key', '--data', dataDir]);
  expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringContaining('"kid"')]);
  const idle = await runCli(['proofs', 'anchor', '--data', dataDir]);
  expect([idle.code, idle.stderr]).toEqual([1, expect.stringContaining('NOT_CONFIGURED')]);
  server = await startRealServer(dataDir);
  const file = saved('first.json', await told('/v1/proofs/0.json'));
  expect((await runCli(['verify', file, '--key', key])).code).toBe(0);
}, 120_000);

async function settlements(): Promise<readonly { readonly seq: number; readonly ref: string }[]> {
  const { records } = (await told('/v1/proofs/records?limit=50')) as never as {
    records: readonly { readonly kind: number; readonly seq: number; readonly ref: string }[];
  };
  return records.filter(({ kind }) => kind === 30_020);
}
