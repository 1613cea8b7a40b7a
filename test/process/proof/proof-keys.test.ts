import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseVerifierKey } from '../../../src/domain/proof/note.ts';
import { openProofKeys, verifyEd25519 } from '../../../src/process/proof/proof-keys.ts';
import { tempDir } from '../../support/temp-dir.ts';

function dataDir(): string {
  const { path, remove } = tempDir();
  onTestFinished(remove);
  return path;
}

test('the keys are made once, for their user only, and stay what they are', () => {
  const folder = dataDir();
  const first = openProofKeys(folder, undefined);
  const files = readdirSync(folder).sort();
  expect(files).toEqual(['proof-hmac.json', 'proof-log.json']);
  for (const file of files) expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const again = openProofKeys(folder, undefined);
  expect(again.verifierKey).toBe(first.verifierKey);
  expect(again.mac.mac(first.mac.kid, 'x')).toBe(first.mac.mac(first.mac.kid, 'x'));
  expect(openProofKeys(dataDir(), undefined).verifierKey).not.toBe(first.verifierKey);
});

test('a log is named by its host, or by its key, and keeps that name', () => {
  expect(openProofKeys(dataDir(), undefined).signer.origin).toMatch(/^stoa\.local\/[0-9a-f]{16}$/);
  const folder = dataDir();
  expect(openProofKeys(folder, 'https://shop.example:8443/x').signer.origin).toBe(
    'shop.example:8443/stoa',
  );
  expect(openProofKeys(folder, 'https://moved.example').signer.origin).toBe(
    'shop.example:8443/stoa',
  );
});

test('what it signs is checked by the published key', () => {
  const { signer, verifierKey } = openProofKeys(dataDir(), undefined);
  const key = parseVerifierKey(verifierKey);
  const message = new TextEncoder().encode('hello');
  const signature = signer.sign(message);
  expect(key && verifyEd25519(key.publicKey, message, signature)).toBe(true);
  signature[0] = (signature[0] ?? 0) ^ 1;
  expect(key && verifyEd25519(key.publicKey, message, signature)).toBe(false);
});

test('a second HMAC key is added by hand: new records get it, the old one still checks', () => {
  const folder = dataDir();
  const old = openProofKeys(folder, undefined).mac;
  const path = join(folder, 'proof-hmac.json');
  const ring = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(
    path,
    JSON.stringify({ current: 'k2', keys: { ...ring.keys, k2: 'a'.repeat(64) } }),
  );
  const { mac } = openProofKeys(folder, undefined);
  expect(mac.kid).toBe('k2');
  expect(mac.mac(old.kid, 'x')).toBe(old.mac(old.kid, 'x'));
  expect(mac.mac('toString', 'x')).toBeUndefined();
});

test('a damaged key file is named, and not replaced', () => {
  const folder = dataDir();
  openProofKeys(folder, undefined);
  for (const name of ['proof-hmac.json', 'proof-log.json']) {
    const path = join(folder, name);
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, whole.slice(0, 20));
    expect(() => openProofKeys(folder, undefined)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', data: expect.anything() }),
    );
    expect(readFileSync(path, 'utf8')).toBe(whole.slice(0, 20));
    writeFileSync(path, whole);
  }
});
