import { expect, test } from 'vitest';
import { readAuditSettings } from '../../../src/providers/target/audit-settings.ts';

const read = (text?: string) =>
  readAuditSettings({ 'trust-target': false }, { STOA_AUDIT_ALLOW_INTERNAL: text });

test('internal targets are closed, open, or open by host and port', () => {
  expect([undefined, '', '0', '1'].map((text) => read(text).allowInternal)).toEqual([
    ...[false, false, false],
    true,
  ]);
  expect(read('127.0.0.1:4000, MCP.internal:80,[::1]:9').allowInternal).toEqual([
    ...['127.0.0.1:4000', 'mcp.internal:80', '[::1]:9'],
  ]);
});

test.each(['yes', '127.0.0.1', 'host:', 'http://host:80', 'a:1,,b:2', '[::1]'])(
  '%j is refused with what is allowed',
  (text) => {
    expect(() => read(text)).toThrow(/0, 1 or host:port,host:port/);
  },
);

test('a program runs in the sandbox unless its entry or the flag trusts it', () => {
  const env = {
    STOA_AUDIT_COMMANDS: JSON.stringify([
      { name: 'strange', command: 'node', reads: ['/srv/strange'] },
      { name: 'own', command: 'node', trust: true },
    ]),
  };
  const trusted = (isAll: boolean) =>
    readAuditSettings({ 'trust-target': isAll }, env).commands.map((each) => each.isTrusted);
  expect(trusted(false)).toEqual([undefined, true]);
  expect(trusted(true)).toEqual([true, true]);
});
