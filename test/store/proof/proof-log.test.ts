import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { parseCheckpoint } from '../../../src/domain/proof/checkpoint.ts';
import { verifyConsistency, verifyInclusion } from '../../../src/domain/proof/merkle.ts';
import { deriveKeyId, findSignedAt, parseNote } from '../../../src/domain/proof/note.ts';
import type { NewProof } from '../../../src/domain/proof/proof-log.ts';
import {
  buildMacText,
  hashRecord,
  ProofRecord,
  sealPayload,
} from '../../../src/domain/proof/record.ts';
import { Environment } from '../../../src/store/common/environment.ts';
import { openProofLog } from '../../../src/store/proof/proof-log.ts';
import { proves } from '../../support/proves.ts';
import { tempDir } from '../../support/temp-dir.ts';

const pair = generateKeyPairSync('ed25519');
const publicKey = Buffer.from(String(pair.publicKey.export({ format: 'jwk' }).x), 'base64url');
const signer = {
  origin: 'log.example/stoa',
  keyId: deriveKeyId('log.example/stoa', 'ed25519', publicKey),
  sign: (message: Uint8Array) => sign(null, message, pair.privateKey),
};
const keys: Record<string, string> = { k1: 'one', k2: 'two' };
const macOf = (kid: string) => ({
  kid,
  mac: (id: string, text: string) =>
    keys[id] === undefined ? undefined : createHmac('sha256', keys[id]).update(text).digest('hex'),
});
const NOW = 1_700_000_000_000;
const MONTHS_19_MS = 19 * 31 * 86_400_000;
const folder = tempDir();
let count = 0;
const opened: { close(): Promise<void> }[] = [];
afterAll(() => folder.remove());
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

function open(name: string, kid = 'k1', now = NOW) {
  const log = openProofLog({
    path: join(folder.path, name),
    clock: { now: () => now },
    random: { bytes: (length) => randomBytes(length) },
    mac: macOf(kid),
    signer,
  });
  opened.push(log);
  return log;
}

function proof(over: Partial<NewProof> = {}): NewProof {
  count += 1;
  const payload = { amount: '250000', n: count };
  return {
    kind: 30020,
    key: `key ${count}`,
    ref: `ref ${count}`,
    subject: '0xabc',
    payload,
    ...over,
  };
}

test('a record is not found before its commit reports success', async () => {
  const log = open('visible early');
  const commit = Environment.prototype.commit;
  let release = (): void => undefined;
  const written = new Promise<void>((visible) => {
    vi.spyOn(Environment.prototype, 'commit').mockImplementationOnce(async function (
      this: Environment,
      ...ops
    ) {
      await commit.apply(this, ops);
      visible();
      await new Promise<void>((go) => {
        release = go;
      });
    });
  });
  const appended = log.append(proof({ ref: 'early' }));
  await written;
  expect([log.size, log.find('early', 10), log.record(0)]).toEqual([0, [], undefined]);
  release();
  const record = await appended;
  expect([log.size, log.find('early', 10), log.record(0)]).toEqual([1, [record], record]);
});

describe('the log of proofs', () => {
  test('every record is in the tree, chained to the one before, under its HMAC', async () => {
    const log = open('chained');
    const records = await Promise.all(Array.from({ length: 300 }, () => log.append(proof())));
    const size = log.size;
    expect(size).toBe(300);
    const root = log.root(size);
    let before = '0'.repeat(64);
    for (const record of records) {
      expect(ProofRecord.parse(record)).toEqual(log.record(record.seq));
      const leaf = hashRecord(record);
      const path = log.inclusion(record.seq, size);
      expect(verifyInclusion({ leaf, index: record.seq, size, path, root })).toBe(true);
      expect(record.prev_hash).toBe(before);
      before = Buffer.from(leaf).toString('hex');
      expect(macOf('k1').mac(record.hmac.kid, buildMacText(record))).toBe(record.hmac.value);
      const payload = log.payload(record.seq);
      expect(payload && sealPayload(payload).hashes).toEqual({
        subject_hash: record.subject_hash,
        payload_hash: record.payload_hash,
      });
    }
  });

  test('a repeat with the same key gives the first record, at once and after a restart', async () => {
    const log = open('repeats');
    const asked = proof();
    const [first, second] = await Promise.all([log.append(asked), log.append(asked)]);
    expect(second).toEqual(first);
    await log.close();
    opened.splice(0);
    const again = open('repeats');
    expect(await again.append(asked)).toEqual(first);
    expect(again.size).toBe(1);
  });

  test('a checkpoint is kept before it is seen, and later ones continue it', async () => {
    const log = open('checkpoints');
    for (let n = 0; n < 5; n += 1) await log.append(proof());
    const first = await log.checkpoint();
    expect(await log.checkpoint()).toBe(first);
    for (let n = 0; n < 8; n += 1) await log.append(proof());
    const second = await log.checkpoint();
    const [older, newer] = [first, second].map((text) => {
      const note = parseNote(text);
      const checkpoint = parseCheckpoint(note?.text ?? '');
      if (note === undefined || checkpoint === undefined) throw new Error('not a checkpoint');
      return { note, checkpoint };
    });
    if (older === undefined || newer === undefined) throw new Error('two were asked for');
    const key = {
      name: signer.origin,
      keyId: signer.keyId,
      publicKey,
      algorithm: 'ed25519',
    } as const;
    const check = (of: Uint8Array, message: Uint8Array, signature: Uint8Array) => {
      const x = Buffer.from(of).toString('base64url');
      const jwk = { kty: 'OKP', crv: 'Ed25519', x };
      return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
    };
    expect(await findSignedAt(newer.note, key, check)).toBe(0);
    const path = log.consistency(older.checkpoint.size, newer.checkpoint.size);
    const roots = { olderRoot: older.checkpoint.root, newerRoot: newer.checkpoint.root };
    expect(verifyConsistency({ older: 5, newer: 13, path, ...roots })).toBe(true);
    await log.close();
    opened.splice(0);
    expect(open('checkpoints').latestCheckpoint()).toBe(second);
  });
});

describe('how far the feed is read, and disks that fail', () => {
  test('a position is kept over a restart', async () => {
    const log = open('position');
    expect(log.position).toBe(0);
    await log.keepPosition(77);
    await log.close();
    opened.splice(0);
    expect(open('position').position).toBe(77);
  });

  test('records that failed leave no gap behind: the log goes on where the disk ends', async () => {
    const log = open('gaps');
    await log.append(proof());
    const commit = vi.spyOn(Environment.prototype, 'commit');
    commit.mockImplementation(() => Promise.reject(new Error('the disk is full')));
    const lost = await Promise.allSettled([proof(), proof(), proof()].map((p) => log.append(p)));
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    commit.mockRestore();
    const next = await Promise.all([log.append(proof()), log.append(proof())]);
    expect(next.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(next[1]?.prev_hash).toBe(
      Buffer.from(hashRecord(next[0] as ProofRecord)).toString('hex'),
    );
    const leaf = hashRecord(next[1] as ProofRecord);
    const claim = { leaf, index: 2, size: 3, path: log.inclusion(2, 3), root: log.root(3) };
    expect(verifyInclusion(claim)).toBe(true);
  });
});

describe('what stands apart from the log', () => {
  test('what a subject’s records stand for is erased; the records and their proofs stay', async () => {
    const log = open('erased');
    const [gone, kept] = [
      await log.append(proof({ subject: '0xgone', ref: 'shared' })),
      await log.append(proof({ subject: '0xkept', ref: 'shared' })),
    ];
    const root = log.root(2);
    expect(await log.erase('0xgone')).toBe(1);
    expect(await log.erase('0xgone')).toBe(0);
    expect(log.payload(gone.seq)).toBeUndefined();
    expect(log.payload(kept.seq)?.subject).toBe('0xkept');
    expect(log.find('shared', 10)).toEqual([gone, kept]);
    expect(log.find('shared', 1)).toEqual([gone]);
    const claim = { leaf: hashRecord(gone), index: 0, size: 2, path: log.inclusion(0, 2), root };
    expect(verifyInclusion(claim)).toBe(true);
  });
});

describe('keys, tiles and faults of the log', () => {
  test('a record is found, proven and checked by its HMAC 19 months later', async () => {
    proves('C1.i3.c2', 'C8.t7');
    const log = open('old');
    const first = await log.append(proof({ ref: 'old', subject: '0xold' }));
    await log.close();
    opened.splice(0);
    const later = open('old', 'k2', NOW + MONTHS_19_MS);
    const { at } = await later.append(proof());
    expect(Date.parse(at) - Date.parse(first.at)).toBe(MONTHS_19_MS);
    expect(later.find('old', 10)).toEqual([first]);
    expect(macOf('k2').mac(first.hmac.kid, buildMacText(first))).toBe(first.hmac.value);
    const path = later.inclusion(0, 2);
    const claim = { leaf: hashRecord(first), index: 0, size: 2, path, root: later.root(2) };
    expect(verifyInclusion(claim)).toBe(true);
    expect(later.payload(0)?.subject).toBe('0xold');
  });

  test('a new key signs new records; old ones keep theirs', async () => {
    const log = open('rotated');
    await log.append(proof());
    await log.close();
    opened.splice(0);
    const later = open('rotated', 'k2');
    await later.append(proof());
    expect([0, 1].map((seq) => later.record(seq)?.hmac.kid)).toEqual(['k1', 'k2']);
  });

  test('tiles hold the leaf hashes, and above them the roots of full tiles', async () => {
    const log = open('tiles');
    const records = await Promise.all(Array.from({ length: 520 }, () => log.append(proof())));
    expect(log.tile(0, 0)).toEqual(records.slice(0, 256).map(hashRecord));
    expect(log.tile(0, 2)).toHaveLength(8);
    expect(log.tile(1, 0)).toEqual([log.root(256), expect.anything()]);
    expect(log.tile(0, 3)).toEqual([]);
  });

  test('a log that lost what it signed is not opened', async () => {
    const log = open('cut');
    await log.append(proof());
    await log.checkpoint();
    await log.close();
    opened.splice(0);
    const files = new Environment({ path: join(folder.path, 'cut') }, 1);
    await files.commit([{ db: files.openTable('records'), key: 0 }]);
    await files.close();
    expect(() => open('cut')).toThrow('does not match its last signed checkpoint');
  });

  test('sizes beyond the log are refused, saying how long it is', async () => {
    const log = open('beyond');
    await log.append(proof());
    expect(() => log.root(2)).toThrow('The log has 1 records');
    expect(() => log.inclusion(1, 1)).toThrow('The log has 1 records');
  });
});
