import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { deriveCanary } from '../../../src/domain/audit/probe/canary.ts';
import { createAuditTargets } from '../../../src/providers/target/audit-targets.ts';
import { codeOf } from '../../support/audits/code-of.ts';
import { targetContract } from './target.contract.ts';

const PROGRAM = fileURLToPath(new URL('../../support/audits/small-server.mjs', import.meta.url));
const targets = createAuditTargets({
  allowInternal: false,
  commands: [
    { name: 'small', command: process.execPath, args: [PROGRAM] },
    { name: 'gone', command: process.execPath, args: ['-e', 'process.exit(3)'] },
    { name: 'deaf', command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'] },
    { name: 'absent', command: '/no/such/program', args: [] },
  ].map((each) => ({ ...each, isTrusted: true })),
});
const small = { kind: 'mcp_stdio', name: 'small' } as const;
const how = {
  limits: { requestsMax: 50, bytesMax: 2_000_000, totalMs: 20_000 },
  canarySeed: 'stdio',
};

targetContract(() => ({ targets, address: small }));

test('only commands of the operator are started', async () => {
  const asked = targets.open({ kind: 'mcp_stdio', name: 'rm -rf /' }, how);
  expect(await codeOf(asked)).toBe('AUDIT_TARGET_UNKNOWN');
  expect(() => targets.requireOpenable({ kind: 'mcp_stdio', name: 'rm -rf /' })).toThrow(
    expect.objectContaining({ code: 'AUDIT_TARGET_UNKNOWN' }),
  );
});

test('a child sees canaries and nothing of the surroundings of the server', async () => {
  vi.stubEnv('STOA_TEST_SECRET_OF_OURS', 'never-to-be-seen');
  const target = await targets.open(small, how);
  const connection = await target.connect();
  const outcome = await connection.request('tools/call', { name: 'surroundings', arguments: {} });
  expect(outcome.raw).not.toContain('never-to-be-seen');
  expect(outcome.raw).toContain(deriveCanary('stdio', 'env-aws'));
  expect(outcome.raw).not.toContain(JSON.stringify(process.env['HOME']));
  await target.close();
  vi.unstubAllEnvs();
});

test.each(['gone', 'absent'])('a program that is %s is down, at once', async (name) => {
  const target = await targets.open({ kind: 'mcp_stdio', name }, how);
  expect(await codeOf(target.connect())).toBe('AUDIT_TARGET_DOWN');
  await target.close();
});

test('a program that never greets is down after the deadline, and ended', async () => {
  const target = await targets.open({ kind: 'mcp_stdio', name: 'deaf' }, how);
  expect(await codeOf(target.connect({ deadlineMs: 200 }))).toBe('AUDIT_TARGET_DOWN');
  await target.close();
});

test('a flood ends at the budget of bytes, and the program with it', async () => {
  const target = await targets.open(small, how);
  const connection = await target.connect();
  const asked = connection.request('tools/call', { name: 'flood', arguments: {} });
  expect(await codeOf(asked)).toBe('AUDIT_BUDGET');
  expect(target.spent().bytes).toBeLessThan(4_000_000);
  await target.close();
});

test('a program that ends in the middle breaks the call and no more', async () => {
  const target = await targets.open(small, how);
  const connection = await target.connect();
  const outcome = await connection.request('tools/call', { name: 'exit', arguments: {} });
  expect(outcome.kind).toBe('broken');
  expect((await (await target.connect()).request('tools/list', {})).kind).toBe('result');
  await target.close();
});

test('closing ends the whole tree, also what left the group, and removes the home', async () => {
  const homes = () => readdirSync(tmpdir()).filter((name) => name.startsWith('stoa-audit-')).length;
  const before = homes();
  const target = await targets.open(small, how);
  const connection = await target.connect();
  const outcome = await connection.request('tools/call', { name: 'child', arguments: {} });
  const pid = Number(/"text":"(\d+)"/.exec(outcome.raw)?.[1]);
  expect(isAlive(pid)).toBe(true);
  await target.close();
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
  expect(homes()).toBeLessThanOrEqual(before);
});

test('a new life ends what an earlier one of the same owner left, and of no other', async () => {
  const owned = (owner: string) =>
    createAuditTargets({
      allowInternal: false,
      owner,
      commands: [{ name: 'small', command: process.execPath, args: [PROGRAM], isTrusted: true }],
    });
  const begin = async (owner: string) => {
    const target = await owned(owner).open(small, how);
    const connection = await target.connect();
    const told = await connection.request('tools/call', { name: 'surroundings', arguments: {} });
    const asked = await connection.request('tools/call', { name: 'child', arguments: {} });
    const home = /stoa-audit-[0-9a-f]{16}-\w{6}/.exec(told.raw)?.[0] ?? '';
    return { target, home, pid: Number(/"text":"(\d+)"/.exec(asked.raw)?.[1]) };
  };
  const ours = await begin('stdio test, ours');
  const other = await begin('stdio test, another');
  expect(readdirSync(tmpdir())).toContain(ours.home);
  const next = await owned('stdio test, ours').open(small, how);
  await vi.waitFor(() => expect(isAlive(ours.pid)).toBe(false));
  expect(readdirSync(tmpdir())).not.toContain(ours.home);
  expect(isAlive(other.pid)).toBe(true);
  expect(readdirSync(tmpdir())).toContain(other.home);
  await (await next.connect()).close();
  await Promise.all([ours, other].map(({ target }) => target.close()));
  await next.close();
});

/**
 * A process that has ended and that nobody has asked about is no more alive than one that is gone.
 */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    return false;
  }
}
