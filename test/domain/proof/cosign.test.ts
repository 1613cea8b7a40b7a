import { generateKeyPairSync, sign } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acceptCosignatures, parseWitnessKeys } from '../../../src/domain/proof/cosign.ts';
import {
  buildCosignedText,
  deriveKeyId,
  encodeCosignature,
  formatNote,
  formatVerifierKey,
  parseNote,
  type VerifierKey,
} from '../../../src/domain/proof/note.ts';
import { verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { type ProofRig, proofRig } from '../../support/proof-rig.ts';

const NOW = Date.UTC(2026, 0, 1);
let rig: ProofRig;
let note: string;
const [ann, bob] = ['ann', 'bob'].map(witness) as [Witness, Witness];

beforeEach(async () => {
  rig = proofRig();
  await rig.log.append({ kind: 30020, key: 'k', ref: 'r', subject: 's', payload: {} });
  note = await rig.log.checkpoint();
});
afterEach(() => rig.close());

interface Witness {
  readonly key: VerifierKey;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

function witness(name: string): Witness {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const bytes = new Uint8Array(
    Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
  );
  const algorithm = 'cosignature' as const;
  const key = { name, algorithm, publicKey: bytes, keyId: deriveKeyId(name, algorithm, bytes) };
  return { key, sign: (message) => new Uint8Array(sign(null, message, privateKey)) };
}

function cosigned(by: readonly Witness[], options: { text?: string; atMs?: number } = {}): string {
  const text = options.text ?? parseNote(note)?.text ?? '';
  const atS = Math.floor((options.atMs ?? NOW) / 1_000);
  const signatures = by.map(({ key, sign: signs }) => ({
    name: key.name,
    keyId: key.keyId,
    signature: encodeCosignature(atS, signs(buildCosignedText(text, atS))),
  }));
  return formatNote({ text, signatures });
}

function take(written: string, witnesses: readonly Witness[] = [ann, bob]) {
  const { evidence } = rig.log;
  const keys = witnesses.map(({ key }) => key);
  return acceptCosignatures(written, {
    evidence,
    witnesses: keys,
    verify: verifyEd25519,
    now: NOW,
  });
}

test('cosignatures of known witnesses are kept beside the checkpoint, once', async () => {
  const written = cosigned([ann, bob]);
  expect(await take(written)).toMatchObject({
    size: 1,
    witnesses: [{ name: 'ann' }, { name: 'bob' }],
  });
  const lines = rig.log.evidence.cosignatures(1);
  expect(`${note}${lines.join('')}`).toContain('— ann ');
  expect(parseNote(`${note}${lines.join('')}`)?.signatures).toHaveLength(3);
  await take(cosigned([ann], { atMs: NOW + 60_000 }));
  expect(rig.log.evidence.cosignatures(1)).toEqual(lines);
});

test('whatever is not a fresh cosignature of this log by a known witness is refused, and kept out', async () => {
  const ahead = cosigned([ann], { atMs: NOW + 2 * 3_600_000 });
  const text = parseNote(note)?.text ?? '';
  const refusals: readonly [string, string][] = [
    ['', 'INPUT_INVALID'],
    ['a text\n\n— ann AAAAAAAA\n', 'INPUT_INVALID'],
    [note, 'INPUT_INVALID'],
    [cosigned([ann], { text: text.replace('\n1\n', '\n7\n') }), 'PROOF_UNKNOWN'],
    [
      cosigned([ann], { text: text.replace(/\n1\n.*\n/, `\n1\n${'A'.repeat(43)}=\n`) }),
      'PROOF_UNKNOWN',
    ],
    [cosigned([witness('ann')]), 'FORBIDDEN'],
    [cosigned([witness('carl')]), 'FORBIDDEN'],
    [cosigned([{ ...ann, sign: bob.sign }]), 'COSIGNATURE_FORGED'],
    [cosigned([bob, { ...ann, sign: bob.sign }]), 'COSIGNATURE_FORGED'],
    [ahead, 'INPUT_INVALID'],
  ];
  for (const [written, code] of refusals) {
    await expect(take(written), written).rejects.toMatchObject({ code });
  }
  expect(rig.log.evidence.latestCosigned()).toBeUndefined();
});

test('keys of witnesses are read, and others refused by what they are', () => {
  const written = [ann, bob].map(({ key }) => formatVerifierKey(key));
  expect(parseWitnessKeys(written).map(({ name }) => name)).toEqual(['ann', 'bob']);
  const wrong = { code: 'CONFIG_INVALID' };
  expect(() => parseWitnessKeys([rig.keys.verifierKey])).toThrow(expect.objectContaining(wrong));
  expect(() => parseWitnessKeys(['nobody'])).toThrow(expect.objectContaining(wrong));
  expect(() => parseWitnessKeys(Array(17).fill(written[0]))).toThrow(
    expect.objectContaining(wrong),
  );
});
