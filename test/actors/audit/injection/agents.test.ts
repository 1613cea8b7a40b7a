import { afterEach, expect, test } from 'vitest';
import { INJECTION_PROBES } from '../../../../src/actors/audit/injection/injection-probes.ts';
import { withProbeSession } from '../../../../src/actors/audit/session/probe-session.ts';
import { runRecon } from '../../../../src/actors/audit/session/recon.ts';
import { BYTES_MAX } from '../../../../src/actors/audit/session/with-target.ts';
import type { ProbeRun } from '../../../../src/domain/audit/records.ts';
import { computeResilience } from '../../../../src/domain/injection/resistance.ts';
import { createAuditTargets } from '../../../../src/providers/target/audit-targets.ts';
import { startAgent } from '../../../support/injection/a2a-agent.ts';
import { realClock } from '../../../support/real-clock.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function runsAgainst(o: Parameters<typeof startAgent>[0]) {
  const agent = await startAgent(o);
  closers.push(agent.close);
  const targets = createAuditTargets({ allowInternal: true, commands: [] });
  const address = { kind: 'a2a_card', url: agent.cardUrl } as const;
  const limits = { requestsMax: 600, bytesMax: BYTES_MAX, totalMs: 120_000 };
  const { signal } = new AbortController();
  const target = await targets.open(address, { limits, canarySeed: 'seed', signal });
  const recon = await runRecon(target);
  await target.close();
  const plan = { address, recon, limits, seed: 'seed', allowWrites: false, signal };
  const runs: ProbeRun[] = [];
  for (const probe of INJECTION_PROBES) {
    const parts = { targets, clock: realClock };
    runs.push((await withProbeSession(parts, plan, (session) => probe.run(session))).result);
  }
  return { agent, runs };
}

test.each(['0.3', '1.0'] as const)(
  'an A2A %s agent is asked by messages, and told by class',
  {
    timeout: 60_000,
  },
  async (dialect) => {
    const { runs, agent } = await runsAgainst({ dialect, obeys: ['override', 'record'] });
    const { classes, places } = computeResilience(runs.flatMap(({ trials }) => trials ?? []));
    const obeyed = classes.filter(({ verdict }) => verdict === 'obeyed').map((one) => one.class);
    expect(obeyed).toEqual(['override', 'record']);
    expect(classes.every(({ assessed }) => assessed === 4)).toBe(true);
    expect(places).toEqual(['message']);
    expect(runs.flatMap(({ findings }) => findings.map(({ severity }) => severity))).toEqual([
      'medium',
      'high',
    ]);
    // 12 controls, 48 texts, and a control beside each of the eight that were obeyed.
    expect(agent.messages).toHaveLength(68);
  },
);

test('an agent whose messages go to another origin is not asked there', async () => {
  const other = await startAgent({ dialect: '0.3', obeys: [] });
  closers.push(other.close);
  const messagesAt = other.cardUrl.replace('/.well-known/agent-card.json', '/a2a');
  const { runs } = await runsAgainst({ dialect: '0.3', obeys: [], messagesAt });
  expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(['not_applicable']));
  expect(runs[0]?.reason).toContain('not the origin that gave consent');
  expect(other.messages).toEqual([]);
});
