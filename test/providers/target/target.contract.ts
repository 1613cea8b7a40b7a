import { expect, test } from 'vitest';
import type { AuditTarget, AuditTargets } from '../../../src/domain/audit/audit-target.ts';
import type { TargetAddress } from '../../../src/domain/audit/records.ts';
import { codeOf } from '../../support/audits/code-of.ts';

/** One way to targets, with a small server behind it. */
export interface TargetWorld {
  readonly targets: AuditTargets;
  readonly address: TargetAddress;
}

const LIMITS = { requestsMax: 50, bytesMax: 4_000_000, totalMs: 20_000 };

/** What every way to targets keeps, whatever carries it. */
export function targetContract(world: () => TargetWorld): void {
  const open = async (limits: Partial<typeof LIMITS> = {}, signal?: AbortSignal) => {
    const { targets, address } = world();
    return await targets.open(address, {
      limits: { ...LIMITS, ...limits },
      canarySeed: 'contract',
      ...(signal === undefined ? {} : { signal }),
    });
  };
  const call = async (target: AuditTarget, name: string, deadlineMs = 5_000) => {
    const connection = await target.connect();
    const params = { name, arguments: { text: 'hello' } };
    return await connection.request('tools/call', params, { deadlineMs });
  };

  test('a connection greets, lists and calls', async () => {
    const target = await open();
    const connection = await target.connect();
    expect(connection.greeting.serverInfo).toEqual({ name: 'small', version: '1.0.0' });
    const listed = await connection.request('tools/list', {});
    expect(listed.kind).toBe('result');
    expect(JSON.stringify(listed)).toContain('echo');
    const called = await connection.request('tools/call', {
      name: 'echo',
      arguments: { text: 'hello' },
    });
    expect(called).toMatchObject({ kind: 'result', result: { content: [{ text: 'hello' }] } });
    await target.close();
  });

  test('an error of the target is a value, and so is its silence', async () => {
    const target = await open();
    expect(await call(target, 'none')).toMatchObject({ kind: 'error', code: -32602 });
    const startedAt = performance.now();
    expect(await call(target, 'silent', 150)).toMatchObject({ kind: 'silent' });
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await target.close();
  });

  test('connections are apart', async () => {
    const target = await open();
    const [first, second] = [await target.connect(), await target.connect()];
    await first.close();
    expect((await second.request('tools/list', {})).kind).toBe('result');
    await target.close();
  });

  test('everything that is sent counts, and nothing is sent above the budget', async () => {
    const target = await open({ requestsMax: 4 });
    const connection = await target.connect();
    const before = target.spent().requests;
    expect(before).toBeGreaterThan(0);
    for (let count = before; count < 4; count += 1) await connection.request('tools/list', {});
    expect(await codeOf(connection.request('tools/list', {}))).toBe('AUDIT_BUDGET');
    expect(target.spent().requests).toBe(4);
    expect(target.spent().bytes).toBeGreaterThan(0);
    await target.close();
  });

  test('time counts too', async () => {
    const target = await open({ totalMs: 1_500 });
    expect(await codeOf(waited(target))).toBe('AUDIT_BUDGET');
    await target.close();
  });

  test('after a stop nothing is sent any more', async () => {
    const stop = new AbortController();
    const target = await open({}, stop.signal);
    const connection = await target.connect();
    stop.abort();
    expect(await codeOf(connection.request('tools/list', {}))).toBe('AUDIT_STOPPED');
    expect(await codeOf(target.connect())).toBe('AUDIT_STOPPED');
    await target.close();
  });
}

async function waited(target: AuditTarget): Promise<void> {
  const connection = await target.connect();
  for (let count = 0; count < 100; count += 1) {
    await connection.request(
      'tools/call',
      { name: 'silent', arguments: {} },
      { deadlineMs: 5_000 },
    );
  }
}
