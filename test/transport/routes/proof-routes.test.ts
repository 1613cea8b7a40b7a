import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fromBase64 } from '../../../src/domain/proof/base64.ts';
import { parseCheckpoint } from '../../../src/domain/proof/checkpoint.ts';
import { PROOF_KINDS } from '../../../src/domain/proof/kinds.ts';
import { verifyConsistency, verifyInclusion } from '../../../src/domain/proof/merkle.ts';
import { parseNote } from '../../../src/domain/proof/note.ts';
import { encodeRecord, hashRecord, type ProofRecord } from '../../../src/domain/proof/record.ts';
import { verifyProofFile } from '../../../src/domain/verification/proof-file.ts';
import { verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { PROOF_READS, proofRoutes } from '../../../src/transport/proof/proof-routes.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';
import { proves } from '../../support/proves.ts';

const RECORDS = 300;
const hex = (n: number): string => n.toString(16).padStart(64, '0');
let rig: ProofRig;
let front: FrontRig;
const time = { now: Date.UTC(2026, 0, 1) };

beforeAll(async () => {
  rig = proofRig();
  const { log } = rig;
  await log.checkpoint();
  await Promise.all(Array.from({ length: RECORDS }, (_, n) => add(n, 'settled')));
  await log.checkpoint();
  front = await startFront('node', {
    routes: proofRoutes({
      log,
      verifierKey: rig.keys.verifierKey,
      clock: { now: () => time.now, at: () => () => undefined },
      isComing: async (id) => id === `pay_${hex(9_999)}`,
    }),
  });
});
afterAll(async () => {
  await front.front.close();
  await rig.close();
});

function add(n: number, event: string) {
  const ref = `set_${hex(n)}`;
  const payload = { event };
  return rig.log.append({ kind: 30020, key: `${n}:${event}`, ref, subject: '0xme', payload });
}

function get(path: string): Promise<Response> {
  return fetch(`${front.baseUrl}/v1/proofs/${path}`);
}

/** What the reads answer, as far as the tests look at it. */
interface Told {
  readonly records: readonly ProofRecord[];
  readonly record: ProofRecord;
  readonly checkpoint: string;
  readonly inclusion: { readonly seq: number; readonly size: number; readonly path: string[] };
  readonly path: readonly string[];
  readonly proof_files: readonly string[];
}

async function read(path: string): Promise<Told> {
  const answer = await get(path);
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Told;
}

async function newest() {
  const checkpoint = parseCheckpoint(parseNote(await (await get('checkpoint')).text())?.text ?? '');
  if (checkpoint === undefined) throw new Error('a checkpoint is C2SP text');
  return checkpoint;
}

const hashes = (path: readonly string[]) => path.map((text) => fromBase64(text) as Uint8Array);

describe('a settlement', () => {
  test('is found by its reference, free and without a key, with rail, tier and anchor', async () => {
    proves('C2.t7.c1', 'C2.t7.c2', 'C4.2.t2', 'C8.s1.c12');
    const answer = await get(`settlement/set_${hex(7)}`);
    expect(answer.status).toBe(200);
    const told = (await answer.json()) as Told;
    expect(told).toMatchObject({
      ref: `set_${hex(7)}`,
      rail: 'x402',
      proof_tier: 'internal',
      status: 'settled',
      records: [{ kind: 30020, ref: `set_${hex(7)}` }],
      anchor: null,
      anchor_reason: expect.any(String),
    });
    const { seq, size, path } = told.inclusion;
    const signed = parseCheckpoint(parseNote(told.checkpoint)?.text ?? '');
    const leaf = hashRecord(told.records[0] as ProofRecord);
    const root = signed?.root as Uint8Array;
    expect(verifyInclusion({ leaf, index: seq, size, path: hashes(path), root })).toBe(true);
  });

  test('shows its refund as a second record, under a checkpoint that covers both', async () => {
    await add(8, 'refunded');
    const told = await read(`settlement/set_${hex(8)}`);
    expect(told).toMatchObject({ status: 'refunded', records: [{ seq: 8 }, { seq: RECORDS }] });
    const [first, second] = told.proof_files;
    expect([first, second]).toEqual(['/v1/proofs/8.json', `/v1/proofs/${RECORDS}.json`]);
    expect((await newest()).size).toBe(RECORDS + 1);
  });

  test.each([
    ['escrow', 'escrow', ['escrowed'], 'escrowed'],
    ['escrow', 'escrow', ['escrowed', 'released'], 'settled'],
    ['escrow', 'escrow', ['escrowed', 'refunded'], 'refunded'],
    ['on_release', 'x402', ['released'], 'settled'],
  ])('of a job of %s is found by the id of the job, on rail %s, after %j', async (...row) => {
    const [funding, rail, told, status] = row;
    const ref = `job_${hex(told.length * 31 + status.length + funding.length).slice(32)}`;
    const shared = { ref, subject: '0xme' } as const;
    await rig.log.append({
      ...shared,
      kind: 30016,
      key: `${ref}:fulfilled`,
      payload: { event: 'fulfilled' },
    });
    for (const event of told) {
      const payload = { event, funding };
      await rig.log.append({ ...shared, kind: 30020, key: `${ref}:${event}`, payload });
    }
    const answer = await read(`settlement/${ref}`);
    expect(answer).toMatchObject({ ref, rail, status, anchor: null, proof_tier: 'internal' });
    expect(answer.records).toMatchObject(told.map(() => ({ kind: 30020 })));
    expect(answer.proof_files).toHaveLength(told.length);
  });

  test('of an unknown job is unknown, and other names are refused with both forms', async () => {
    const unknown = await get(`settlement/job_${'e'.repeat(32)}`);
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: 'PROOF_UNKNOWN' }]);
    for (const ref of ['job_1', `job_${'e'.repeat(64)}`, `bid_${'e'.repeat(32)}`]) {
      const refused = await get(`settlement/${ref}`);
      expect(await refused.json()).toMatchObject({
        error: 'INPUT_INVALID',
        data: { received: ref, allowed: ['set_<64 hex digits>', 'job_<32 hex digits>'] },
      });
    }
  });

  test('that is known and not recorded is pending; others are unknown', async () => {
    const pending = await get(`settlement/set_${hex(9_999)}`);
    expect(pending.status).toBe(202);
    expect(pending.headers.get('retry-after')).toBe('2');
    expect(await pending.json()).toMatchObject({ status: 'pending', rail: 'x402', records: [] });
    const unknown = await get(`settlement/set_${hex(10_000)}`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: 'PROOF_UNKNOWN' });
  });
});

describe('the log as C2SP has it', () => {
  test('a proof file of any record is whole', async () => {
    proves('C2.t8.c1', 'C8.t6');
    for (const seq of [0, 255, 256, RECORDS - 1]) {
      const file = await read(`${seq}.json`);
      const verdict = await verifyProofFile(file, { verify: verifyEd25519 });
      expect(verdict).toMatchObject({ isValid: true, record: { seq } });
      const { kind } = file.record as { kind: keyof typeof PROOF_KINDS };
      expect(PROOF_KINDS[kind].name).toBe('ProofOfSettlement');
    }
    const specified = Array.from({ length: 15 }, (_, place) => String(30_010 + place));
    expect(Object.keys(PROOF_KINDS).slice(0, 15)).toEqual(specified);
  });

  test('inclusion and consistency lead to the signed root', async () => {
    const { size, root } = await newest();
    const inclusion = await read(`inclusion?seq=9&size=${size}`);
    const leaf = hashRecord(rig.log.record(9) as never);
    expect(verifyInclusion({ leaf, index: 9, size, path: hashes(inclusion.path), root })).toBe(
      true,
    );
    const { path } = await read(`consistency?from=200&to=${size}`);
    const olderRoot = rig.log.root(200);
    const roots = { olderRoot, newerRoot: root };
    expect(verifyConsistency({ older: 200, newer: size, path: hashes(path), ...roots })).toBe(true);
  });

  test('tiles and entries have the bytes of the records, and are kept for ever', async () => {
    const tile = await get('tile/0/000');
    expect(tile.headers.get('cache-control')).toContain('immutable');
    const leaves = Buffer.from(await tile.arrayBuffer());
    expect(leaves.length).toBe(256 * 32);
    expect(leaves.subarray(0, 32)).toEqual(Buffer.from(hashRecord(rig.log.record(0) as never)));
    const part = Buffer.from(await (await get('tile/0/001.p/44')).arrayBuffer());
    expect(part.length).toBe(44 * 32);
    const above = Buffer.from(await (await get('tile/1/000.p/1')).arrayBuffer());
    expect(above).toEqual(Buffer.from(rig.log.root(256)));
    const entries = Buffer.from(await (await get('tile/entries/001.p/2')).arrayBuffer());
    const first = encodeRecord(rig.log.record(256) as never);
    expect(entries.readUInt16BE(0)).toBe(first.length);
    expect(entries.subarray(2, 2 + first.length)).toEqual(Buffer.from(first));
  });

  test('the key is published, and records are listed by what they are found by', async () => {
    expect(await (await get('key')).text()).toBe(`${rig.keys.verifierKey}\n`);
    const told = await read(`records?ref=set_${hex(7)}`);
    expect(told.records).toEqual([rig.log.record(7)]);
    expect((await read('records?ref=nobody')).records).toEqual([]);
  });
});

describe('bad questions', () => {
  test.each([
    ['settlement/', 422],
    ['settlement/pay_1', 422],
    [`settlement/set_${'A'.repeat(64)}`, 422],
    [`settlement/set_${'0'.repeat(64)}/x`, 422],
    ['settlement/x?y=1', 422],
    ['inclusion', 422],
    ['inclusion?seq=1', 422],
    ['inclusion?seq=1&size=2&more=3', 422],
    ['inclusion?seq=1&seq=1&size=2', 422],
    ['inclusion?seq=2&size=2', 422],
    ['inclusion?seq=0&size=0', 404],
    ['inclusion?seq=-1&size=2', 422],
    ['inclusion?seq=1e1&size=20', 422],
    ['inclusion?seq=0&size=999999', 422],
    ['consistency?from=3&to=2', 422],
    ['consistency?from=01&to=2', 422],
    ['tile/7/000', 422],
    ['tile/0/000.p/256', 422],
    ['tile/0/000.p/0', 422],
    ['tile/0/1', 422],
    ['tile/0/x000/001', 422],
    ['tile/0/001', 404],
    ['tile/0/001.p/200', 404],
    ['tile/entries/x999/999', 404],
    ['records?ref=', 422],
    [`records?ref=${'x'.repeat(201)}`, 422],
    ['999999.json', 404],
    ['01.json', 422],
    ['x.json', 422],
    ['nothing', 404],
    ['', 404],
  ])('%s is refused with %i, saying why', async (path, status) => {
    const answer = await get(path);
    const body = (await answer.json()) as { error: string; message: string };
    expect([answer.status, body.error]).toEqual([
      status,
      status === 404 ? 'PROOF_UNKNOWN' : 'INPUT_INVALID',
    ]);
    expect(body.message).not.toBe('');
  });

  test('one address asks so often, and is told when to come back', async () => {
    time.now += 3_600_000;
    for (let n = 0; n < PROOF_READS.burst; n += 1) await (await get('key')).text();
    const answer = await get('key');
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});
