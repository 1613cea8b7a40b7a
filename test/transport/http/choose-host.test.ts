import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isLoopback, normalizeAddress } from '../../../src/transport/http/address.ts';
import { chooseHost } from '../../../src/transport/http/choose-host.ts';
import { loadUws } from '../../../src/transport/http/uws/uws-native.ts';
import { HAS_NATIVE } from '../../support/engines.ts';
import { realClock } from '../../support/real-clock.ts';

const OPTIONS = { clock: realClock, routes: [], streamWaitingBytesMax: 1 };

const WITH_NATIVE: Readonly<Record<string, () => void>> = {
  'the native binary is loaded as such, and the package is known as repackaged': () => {
    const native = loadUws();
    expect(native?.binary).toMatch(/uws_.+\.node$/);
    expect(existsSync(native?.binary ?? '')).toBe(true);
    expect(native?.isOfficial).toBe(false);
  },
  'auto takes the repackaged binary on a loopback address only': () => {
    expect(chooseHost('auto', '127.0.0.1', OPTIONS).engine).toBe('uws');
    expect(chooseHost('auto', 'localhost', OPTIONS).engine).toBe('uws');
    expect(chooseHost('auto', '0.0.0.0', OPTIONS).engine).toBe('node');
    expect(chooseHost('auto', '192.0.2.1', OPTIONS).engine).toBe('node');
  },
  'the native engine is given where it is asked for by name': () => {
    expect(chooseHost('uws', '0.0.0.0', OPTIONS).engine).toBe('uws');
  },
};
const WITHOUT_NATIVE: Readonly<Record<string, () => void>> = {
  'without a native binary auto takes node:http, and the native engine is refused': () => {
    expect(loadUws()).toBeUndefined();
    expect(chooseHost('auto', '127.0.0.1', OPTIONS).engine).toBe('node');
    expect(() => chooseHost('uws', '127.0.0.1', OPTIONS)).toThrowError(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  },
};
test.for(Object.entries(HAS_NATIVE ? WITH_NATIVE : WITHOUT_NATIVE))('%s', ([, claim]) => claim());

test('node:http is given where it is asked for by name', () => {
  expect(chooseHost('node', '127.0.0.1', OPTIONS).engine).toBe('node');
});

test.for([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['0000:0000:0000:0000:0000:0000:0000:0001', true],
  ['localhost', true],
  ['localhost.example', false],
  ['128.0.0.1', false],
  ['::', false],
  ['', false],
] as const)('%s reaches this machine only: %s', ([host, claim]) => {
  expect(isLoopback(host)).toBe(claim);
});

test.for([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['0000:0000:0000:0000:0000:ffff:c000:0201', '192.0.2.1'],
  ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['192.0.2.1', '192.0.2.1'],
] as const)('the address %s is written %s', ([address, plain]) => {
  expect(normalizeAddress(address)).toBe(plain);
});
