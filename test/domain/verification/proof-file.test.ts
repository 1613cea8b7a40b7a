import { afterAll, beforeAll, expect, test } from 'vitest';
import { toBase64 } from '../../../src/domain/proof/base64.ts';
import { type ProofFile, verifyProofFile } from '../../../src/domain/verification/proof-file.ts';
import { verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';

let rig: ProofRig;
let file: ProofFile;

beforeAll(async () => {
  rig = proofRig();
  const { log } = rig;
  for (const n of [0, 1, 2, 3, 4]) {
    const what = { kind: 30020, key: `k${n}`, ref: `ref ${n}`, subject: 'me', payload: { n } };
    await log.append(what as never);
  }
  const checkpoint = await log.checkpoint();
  const record = log.record(3);
  if (record === undefined) throw new Error('record 3 is there');
  const path = log.inclusion(3, 5).map(toBase64);
  const { verifierKey: key } = rig.keys;
  file = { v: 1, record, inclusion: { seq: 3, size: 5, path }, checkpoint, key };
});
afterAll(() => rig.close());

const check = (value: unknown, key?: string) =>
  verifyProofFile(value, { verify: verifyEd25519, ...(key === undefined ? {} : { key }) });

test('a proof file stands for itself', async () => {
  const { key } = file;
  expect(await check(file)).toMatchObject({ isValid: true, size: 5, record: { seq: 3 }, key });
  expect(await check(file, key)).toMatchObject({ isValid: true });
});

test('a key from elsewhere decides, not the one in the file', async () => {
  const other = proofRig();
  const verdict = await check(file, other.keys.verifierKey);
  await other.close();
  expect(verdict).toMatchObject({ isValid: false, reason: expect.stringContaining('not signed') });
});

test('whatever is changed in it is found', async () => {
  const { record, inclusion, checkpoint } = file;
  const changed: readonly [object, string][] = [
    [{ record: { ...record, ref: 'ref 4' } }, 'not in the signed log'],
    [{ record: { ...record, payload_hash: 'f'.repeat(64) } }, 'not in the signed log'],
    [{ record: { ...record, kind_name: 'ProofOfPresence' } }, 'not a proof file'],
    [{ record: { ...record, more: 1 } }, 'not a proof file'],
    [{ inclusion: { ...inclusion, seq: 2 } }, 'another record'],
    [{ inclusion: { ...inclusion, size: 6 } }, 'different sizes'],
    [{ inclusion: { ...inclusion, path: inclusion.path.slice(1) } }, 'not in the signed log'],
    [{ inclusion: { ...inclusion, path: ['AAAA'] } }, 'not a list of hashes'],
    [{ inclusion: { ...inclusion, path: Array(65).fill('AAAA') } }, 'not a proof file'],
    [{ checkpoint: checkpoint.replace('\n5\n', '\n6\n') }, 'not signed'],
    [{ checkpoint: 'nothing' }, 'cannot be read'],
    [{ key: 'nobody' }, 'not a verifier key'],
  ];
  for (const [change, reason] of changed) {
    expect(await check({ ...file, ...change }), JSON.stringify(change)).toMatchObject({
      isValid: false,
      reason: expect.stringContaining(reason),
    });
  }
});

test('what is no object at all is no proof file', async () => {
  for (const value of [undefined, null, 7, 'x', [], {}]) {
    expect(await check(value)).toMatchObject({ isValid: false });
  }
});
