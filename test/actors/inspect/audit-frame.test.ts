import { expect, test } from 'vitest';
import type { AuditFrame } from '../../../src/domain/inspect/audit-frame.ts';
import type { Inspector } from '../../../src/domain/inspect/inspector.ts';
import {
  type AuditLife,
  type AuditWorld,
  auditJobsOf,
  auditWorld,
} from '../../support/audits/audit-world.ts';
import { inspectorOf, until, Watcher } from '../../support/inspected.ts';
import { realClock } from '../../support/real-clock.ts';

const NAME = 'security_framework-audit';

interface Opened {
  readonly world: AuditWorld;
  readonly life: AuditLife;
  readonly inspector: Inspector;
  /** The audit that was ordered last, as a console is told it. */
  frame(): Promise<AuditFrame>;
}

async function opened(): Promise<Opened> {
  const world = await auditWorld();
  const life = await world.life();
  const { engine } = life;
  const inspector = inspectorOf({ engine, blobs: world.blobs, pushClock: realClock });
  const frame = async () => {
    const [actorId = ''] = await auditJobsOf(engine);
    const watcher = await Watcher.on(inspector, { name: 'audit', actorId });
    await until(() => watcher.frames('audit').length > 0, 'a frame');
    watcher.end();
    const [first] = watcher.frames('audit');
    if (first === undefined) throw new Error('no frame');
    return first;
  };
  return { world, life, inspector, frame };
}

test('a finished audit tells verdicts, findings that were seen again, root and signer', async () => {
  const { world, life, frame } = await opened();
  await life.buyActive(NAME, { wait_s: 300 });
  const told = await frame();
  expect(told).toMatchObject({
    status: 'done',
    phase: 'end',
    outcome: 'complete',
    plan: 'framework',
    mode: 'active',
    target: 'https://target.example/mcp',
    running: null,
    deadlineAt: null,
    consent: { kind: 'nonce' },
    recon: { tools: 2, access: 'open', changes: 0 },
    report: {
      confirmed: { critical: 1, high: 0, medium: 0, low: 1, info: 0 },
      path: `/v1/audits/${told.auditId}`,
      signer: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      anchor: { status: 'not_configured' },
    },
  });
  expect(told.categories.map(({ category }) => category)).toHaveLength(10);
  const verdicts = Object.fromEntries(told.categories.map((one) => [one.category, one.verdict]));
  expect(verdicts).toMatchObject({ ASI01: 'pass', ASI05: 'fail', ASI09: 'not_assessed' });
  expect(told.categories.find(({ category }) => category === 'ASI09')).toMatchObject({ looked: 0 });
  expect(told.findings[0]).toMatchObject({
    severity: 'critical',
    status: 'confirmed',
    tool: 'run_anything',
    title: 'There is a tool run_anything',
    replay: 'seen',
    replayedBy: 'S3',
  });
  expect(told.seats.map(({ state }) => state)).toEqual(Array(5).fill('done'));
  expect(JSON.stringify(told)).not.toContain(world.nonce);
});

test('an audit that goes on tells which probe of which seat runs, and no verdict', async () => {
  const { world, life, frame } = await opened();
  let open = (): void => undefined;
  let lists = 0;
  world.fake.onRequest = (method) => {
    lists += method === 'tools/list' ? 1 : 0;
    // Recon and the first probe have listed the tools before.
    if (lists === 3) world.fake.gate = new Promise((resolve) => (open = resolve));
  };
  await life.buyActive(NAME, { wait_s: 0 });
  await world.clock.advance(1_000);
  const told = await frame();
  expect(told).toMatchObject({ status: 'active', phase: 'probing', outcome: null, report: null });
  expect(told.running).toEqual({ what: 'probe', seat: 'S1', probeId: 'memory' });
  expect(told.deadlineAt).toBeGreaterThan(told.at);
  expect(told.probes.map(({ outcome }) => outcome)).toEqual([
    ...['clean', 'running', 'planned', 'planned'],
  ]);
  expect(told.seats.map(({ state }) => state)).toEqual([
    ...['working', 'waiting', 'waiting', 'waiting', 'waiting'],
  ]);
  expect(told.categories.every(({ verdict }) => verdict === null)).toBe(true);
  open();
});

test('a passive audit says which probes it left out, and why', async () => {
  const { life, frame } = await opened();
  await life.buy(NAME, { target: 'https://target.example/mcp', mode: 'passive', wait_s: 300 });
  const told = await frame();
  expect(told.consent).toMatchObject({ kind: 'passive' });
  const memory = told.probes.find(({ probeId }) => probeId === 'memory');
  expect(memory).toMatchObject({
    outcome: 'left_out',
    reason: 'This probe needs proof that the caller controls the target.',
  });
});

test('audits stand in the list of panels with target and outcome', async () => {
  const { life, inspector } = await opened();
  await life.buyActive(NAME, { wait_s: 300 });
  const actorIds = [...(await auditJobsOf(life.engine))];
  expect(await inspector.read({ name: 'panels', actorIds })).toEqual({
    panels: [
      {
        id: actorIds[0],
        title: 'Framework audit',
        question: 'Audit of https://target.example/mcp',
        decision: 'complete, 2 confirmed findings',
      },
    ],
  });
});

test('an actor that is no audit is refused by name', async () => {
  const { life, inspector } = await opened();
  await life.buyActive(NAME, { wait_s: 300 });
  const { rows } = await life.engine.list({ kind: 'payment' });
  const refused = inspector.subscribe(
    { name: 'audit', actorId: rows[0]?.id ?? '' },
    { push: () => true },
  );
  await expect(refused).rejects.toMatchObject({
    code: 'NOT_A_PANEL',
    data: { received: 'payment', allowed: ['audit'] },
  });
});
