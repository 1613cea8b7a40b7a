import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { generatePrivateKey } from 'viem/accounts';
import { expect, onTestFinished, test } from 'vitest';
import { openPayees } from '../../../src/connect/wallet/payees.ts';
import { createSigningWallet, openWalletFile } from '../../../src/connect/wallet/wallet.ts';
import { createLocalCheck, isKeySignature } from '../../../src/providers/payment/local-check.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { requirementsOf } from '../../support/payer.ts';
import { tempDir } from '../../support/temp-dir.ts';

function folder(): string {
  const dir = tempDir();
  onTestFinished(dir.remove);
  return dir.path;
}

test('a key is made once, for its user alone, and opened again', () => {
  const path = join(folder(), 'new', 'wallet.key');
  const { address } = openWalletFile(path);
  expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openWalletFile(path).address).toBe(address);
  expect(readdirSync(join(path, '..'))).toEqual(['wallet.key']);
});

test('what it signs is a payment that the chain takes, and the same one is signed alike', async () => {
  const chain = createMemoryPaymentChain();
  const wallet = createSigningWallet(generatePrivateKey(), 'test');
  const offer = requirementsOf(chain.facts);
  const now = Math.floor(Date.now() / 1000);
  const authorization = {
    from: wallet.address,
    to: offer.payTo,
    value: offer.amount,
    validAfter: String(now - 600),
    validBefore: String(now + 120),
    nonce: `0x${'7'.repeat(64)}`,
  };
  const payment = await wallet.sign(authorization, offer);
  expect(createLocalCheck(chain.facts)(payment, offer, Date.now())).toBeUndefined();
  expect(isKeySignature(payment.payload.signature)).toBe(true);
  expect(await wallet.sign(authorization, offer)).toEqual(payment);
});

test('nothing of a wallet shows its key, and neither do the errors of a bad one', () => {
  const key = generatePrivateKey();
  const wallet = createSigningWallet(key, 'test');
  expect(JSON.stringify(wallet) + Object.values(wallet).map(String).join()).not.toContain(
    key.slice(2),
  );
  const bad = [`${key}ff`, key.slice(0, -1), `0x${'f'.repeat(64)}`, `0x${'0'.repeat(64)}`, ''];
  for (const one of bad) {
    let said = '';
    try {
      createSigningWallet(one, 'STOA_CONNECT_KEY');
    } catch (thrown) {
      const error = thrown as Error & { code: string; data: object };
      said = `${error.code} ${error.message} ${JSON.stringify(error.data)} ${String(error.cause)}`;
    }
    expect(said).toMatch(/^CONFIG_INVALID .*STOA_CONNECT_KEY/);
    if (one !== '') expect(said).not.toContain(one.slice(2));
  }
});

test('a key file that others can read is refused', () => {
  const path = join(folder(), 'wallet.key');
  openWalletFile(path);
  chmodSync(path, 0o640);
  expect(() => openWalletFile(path)).toThrow('Set its mode to 0600');
});

test('the first payee of a server is kept, for each server and network', () => {
  const path = join(folder(), 'payees');
  const [one, two] = [openPayees(path), openPayees(path)];
  expect(one.find('http://a', 'eip155:1')).toBeUndefined();
  expect(one.recordFirst('http://a', 'eip155:1', '0xaa')).toBe('0xaa');
  expect(two.recordFirst('http://a', 'eip155:1', '0xbb')).toBe('0xaa');
  expect(two.find('http://a', 'eip155:2')).toBeUndefined();
  two.replace('http://a', 'eip155:1', '0xbb');
  expect(one.find('http://a', 'eip155:1')).toBe('0xbb');
});

test('a note of a payee that a crash has torn is none', () => {
  const path = join(folder(), 'payees');
  const payees = openPayees(path);
  payees.recordFirst('http://a', 'eip155:1', '0xaa');
  const [name = ''] = readdirSync(path);
  writeFileSync(join(path, name), '{"serv');
  expect(payees.find('http://a', 'eip155:1')).toBeUndefined();
  expect(payees.recordFirst('http://a', 'eip155:1', '0xbb')).toBe('0xbb');
  expect(payees.find('http://a', 'eip155:1')).toBe('0xbb');
  expect(readFileSync(join(path, name), 'utf8')).toContain('0xbb');
  mkdirSync(join(path, 'more'));
  expect(existsSync(join(path, name))).toBe(true);
});
