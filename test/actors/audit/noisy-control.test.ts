import { expect, test } from 'vitest';
import { statusAfterReplay } from '../../../src/actors/audit/audit-effects.ts';
import { blindExecution } from '../../../src/actors/audit/probes/blind-execution.ts';
import type { ProbeSession } from '../../../src/actors/audit/session/probe.ts';
import { withProbeSession } from '../../../src/actors/audit/session/probe-session.ts';
import { runRecon } from '../../../src/actors/audit/session/recon.ts';
import type { AuditTargets } from '../../../src/domain/audit/audit-target.ts';
import { computeVerdicts } from '../../../src/domain/audit/verdict.ts';
import { realClock } from '../../support/real-clock.ts';
import { createMemoryTargets } from '../../support/target-memory-targets.ts';

const address = { kind: 'mcp_stdio', name: 'slow' } as const;
const limits = { requestsMax: 200, bytesMax: 5_000_000, totalMs: 60_000 };
const TOOL = {
  name: 'check_host',
  inputSchema: { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] },
};
const memory = createMemoryTargets({
  slow: {
    greeting: { serverInfo: { name: 'slow', version: '1.0.0' }, capabilities: { tools: {} } },
    answer: (method) =>
      method === 'tools/list'
        ? { result: { tools: [TOOL] } }
        : { result: { content: [{ type: 'text', text: 'checked' }] } },
  },
});

/** The same target; its calls seem to take as long as a shell that runs them, and `noiseMs` more. */
function timed(noiseMs: () => number): AuditTargets {
  return {
    ...memory,
    open: async (to, how) => {
      const target = await memory.open(to, how);
      const connect = target.connect.bind(target);
      target.connect = async (options) => {
        const connection = await connect(options);
        const request = connection.request.bind(connection);
        connection.request = async (method, params, rules) => {
          const seconds = /sleep (\d)/.exec(JSON.stringify(params) ?? '')?.[1] ?? '0';
          const outcome = await request(method, params, rules);
          return { ...outcome, ms: Number(seconds) * 1_000 + noiseMs() };
        };
        return connection;
      };
      return target;
    },
  };
}

async function within<T>(targets: AuditTargets, work: (session: ProbeSession) => Promise<T>) {
  const recon = await runRecon(await targets.open(address, { limits, canarySeed: 's' }));
  const { signal } = new AbortController();
  const plan = { address, recon, limits, seed: 's', allowWrites: true, signal };
  return (await withProbeSession({ targets, clock: realClock }, plan, work)).result;
}

test('a timing replay with a noisy control is inconclusive, and its category never passes', async () => {
  const quiet = timed(() => 5);
  const run = await within(quiet, (session) => blindExecution.run(session));
  const [finding] = run.findings;
  if (finding === undefined) expect.fail('the wait is seen');
  const sure = await within(quiet, (session) => blindExecution.replay(session, finding));
  expect(statusAfterReplay(sure)).toBe('confirmed');
  for (const noise of [600, 900, 3_000]) {
    const noisy = timed(() => noise);
    const replay = await within(noisy, (session) => blindExecution.replay(session, finding));
    expect(statusAfterReplay(replay), `${noise} ms`).toBe('inconclusive');
    const settled = { ...finding, status: statusAfterReplay(replay) };
    const verdict = computeVerdicts([run], [settled]).find((one) => one.category === 'ASI05');
    expect(verdict?.verdict).toBe('partial');
  }
  const none = timed(() => 0);
  const gone: AuditTargets = { ...none, open: async (to, how) => await memory.open(to, how) };
  const refuted = await within(gone, (session) => blindExecution.replay(session, finding));
  expect(statusAfterReplay(refuted)).toBe('refuted');
});

test('a first look on a noisy target is partial with a reason, never clean', async () => {
  for (const noise of [900, 3_000]) {
    const run = await within(
      timed(() => noise),
      (session) => blindExecution.run(session),
    );
    expect(run).toMatchObject({ outcome: 'partial', reason: expect.stringContaining('slow') });
  }
});
