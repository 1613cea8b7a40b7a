import { expect, test } from 'vitest';
import { PROBES } from '../../../../src/actors/audit/probes/probes.ts';
import { assess, assessVariant } from '../../../support/audits/assess.ts';
import { EXPECTED_PROBES } from '../../../support/audits/expected-probes.ts';
import { createMemoryTargets, type MemoryServer } from '../../../support/target-memory-targets.ts';
import { allTargets } from '../../../support/targets/all-targets.ts';

// Forms of a fault that were missed once: the seed chooses the form.
test.each([
  ['code-evaluation', 6, 'of which only the number of hits is seen'],
  ['stack-traces', 2, 'of Java'],
  ['stack-traces', 6, 'of Rust'],
  ['undeclared-tools', 6, 'whose name says that it loses something'],
])(
  '%s, seed %i: a form %s is confirmed, and nothing of its twin',
  async (name, seed) => {
    const target = allTargets.find((one) => one.name === name);
    if (target === undefined) expect.fail('the target is there');
    const probes = PROBES.filter(({ probeId }) => EXPECTED_PROBES[name]?.includes(probeId));
    const statuses = async (fixed: boolean) =>
      (await assessVariant(target, { seed, fixed }, { probes })).findings.map(
        ({ status }) => status,
      );
    expect(await statuses(false)).toContain('confirmed');
    expect(await statuses(true)).not.toContain('confirmed');
  },
  120_000,
);

const LOSES = /delete|remove|drop/;

test('a guessed tool that would lose something is called with what names nothing, or not at all', async () => {
  const text = { type: 'string' };
  const named = { properties: { name: text }, required: ['name'] };
  const withText = await lossesOf({ name: 'page', inputSchema: named });
  expect(withText.length).toBeGreaterThan(0);
  for (const values of withText) expect(JSON.stringify(values)).toMatch(/stoa-audit-[0-9a-f]{32}/);
  const count = { properties: { count: { type: 'integer' } }, required: ['count'] };
  expect(await lossesOf({ name: 'page', inputSchema: count })).toEqual([]);
});

/** Arguments of the calls whose names say that something is lost. */
async function lossesOf(tool: Record<string, unknown>): Promise<readonly unknown[]> {
  const losses: unknown[] = [];
  const server: MemoryServer = {
    greeting: { serverInfo: { name: 'pages', version: '1.0.0' }, capabilities: { tools: {} } },
    answer: (method, params) => {
      if (method === 'tools/list') return { result: { tools: [tool] } };
      const { name, arguments: values } = params as { name?: string; arguments?: unknown };
      if (name !== undefined && LOSES.test(name)) losses.push(values);
      return { error: { code: -32602, message: 'no such tool' } };
    },
  };
  const probes = PROBES.filter(({ probeId }) => probeId === 'undeclared-tools');
  await assess(
    { kind: 'mcp_stdio', name: 'pages' },
    { probes, targets: createMemoryTargets({ pages: server }) },
  );
  return losses;
}
