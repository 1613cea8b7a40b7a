import { expect, test } from 'vitest';
import { findListenError, listenError } from '../../../src/transport/http/listen-error.ts';

const fault = (code: string) => Object.assign(new Error(code), { code });

test('each cause has its own sentence with a cure and the code of the system', () => {
  const codes = ['EACCES', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN'];
  const told = codes.map((code) => listenError(fault(code), 'h.example', 80));
  for (const [index, { code, message }] of told.entries()) {
    expect(code).toBe('CONFIG_INVALID');
    expect(message).toMatch(/^Cannot listen on h\.example:80: .*\. Use --/);
    expect(message).toContain(`(${codes[index]})`);
  }
  expect(new Set(told.map(({ message }) => message)).size).toBe(codes.length);
  expect(listenError(fault('ENOBUFS'), 'h', 1).message).toMatch(/: ENOBUFS\.$/);
});

test('an address that is not of this machine is named as that', async () => {
  // TEST-NET-1 is nobody's.
  const { message } = await findListenError('192.0.2.1', 0);
  expect(message).toContain('no interface of this machine has it');
});
