import { afterEach, describe, expect, test } from 'vitest';
import { createPublishedAudits } from '../../../src/actors/audit/published-audits.ts';
import { AuditState } from '../../../src/domain/audit/state.ts';
import { auditRoutes } from '../../../src/transport/audit/audit-routes.ts';
import {
  type AuditLife,
  type AuditWorld,
  auditWorld,
  contentOf,
} from '../../support/audits/audit-world.ts';
import { ENGINES } from '../../support/engines.ts';
import { startFront } from '../../support/front-rig.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';

const NAME = 'security_framework-audit';
const HOSTILE = '<script>alert(1)</script>\u202eevil\u{e0041}';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Scene {
  readonly world: AuditWorld;
  readonly life: AuditLife;
  ask(path: string, o?: RequestInit): Promise<Response>;
}

async function begin(engine: 'uws' | 'node'): Promise<Scene> {
  const world = await auditWorld();
  const life = await world.life();
  const routes = auditRoutes({ audits: life.desk, clock: realClock, version: '1.2.3' });
  const { front, baseUrl } = await startFront(engine, { routes });
  open.push(front);
  return { world, life, ask: (path, o) => fetch(`${baseUrl}/v1/audits${path}`, o) };
}

async function audited({ life }: Scene): Promise<AuditState> {
  const told = await life.buyActive(NAME, { wait_s: 0 });
  return life.ended(AuditState.parse(contentOf(told)).job_id);
}

/** An audit whose target hangs behind its first probes, so that it goes on. */
async function running({ world, life }: Scene): Promise<AuditState> {
  let lists = 0;
  world.fake.onRequest = (method) => {
    lists += method === 'tools/list' ? 1 : 0;
    world.fake.hangs = lists > 5 && method === 'tools/list';
  };
  return AuditState.parse(contentOf(await life.buyActive(NAME, { wait_s: 0 })));
}

describe.each(ENGINES)('through the %s engine', (engine) => {
  test('a report is public for programs, code hosts and people', async () => {
    proves('C1.i4.c2');
    const scene = await begin(engine);
    const { audit_id } = await audited(scene);
    const listed = await (await scene.ask('')).json();
    expect(listed).toMatchObject({
      audits: [{ audit_id, outcome: 'complete', confirmed: { critical: 1, low: 1 } }],
      cursor: null,
    });
    const file = await (await scene.ask(`/${audit_id}`)).json();
    expect(file).toMatchObject({ payload: { audit_id, kind: 'ProofOfAuditReport' } });
    const sarif = await scene.ask(`/${audit_id}?format=sarif`);
    expect(sarif.headers.get('content-type')).toBe('application/sarif+json');
    expect(await sarif.json()).toMatchObject({
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'Stoa audit', semanticVersion: '1.2.3' } } }],
    });
    const page = await scene.ask(`/${audit_id}`, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('Confirmed findings: 2');
    const list = await scene.ask('', { headers: { accept: 'text/html' } });
    expect(await list.text()).toContain(`/v1/audits/${audit_id}`);
  });

  test('texts of a target stay text, and what they hide is shown', async () => {
    const scene = await begin(engine);
    scene.world.fake.tools = [
      { name: 'run_anything', description: 'x' },
      { name: HOSTILE, description: 'x' },
    ];
    const { audit_id } = await audited(scene);
    const reply = await scene.ask(`/${audit_id}`, { headers: { accept: 'text/html' } });
    const policy = reply.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    const page = await reply.text();
    expect(page).toContain('&#60;script&#62;alert(1)&#60;/script&#62;[U+202E]evil[U+E0041]');
    expect(page).not.toContain('<script');
    expect(page).toMatch(/width=device-width/);
    expect(page).toContain('color-scheme:light dark');
  });

  test('what does not fit is refused with what is allowed', async () => {
    const scene = await begin(engine);
    const { audit_id } = await audited(scene);
    const cases = [
      ['/nonsense', 404, 'AUDIT_UNKNOWN'],
      [`/aud_${'0'.repeat(32)}`, 404, 'AUDIT_UNKNOWN'],
      [`/${audit_id}?format=pdf`, 422, 'INPUT_INVALID'],
      [`/${audit_id}?other=1`, 422, 'INPUT_INVALID'],
      ['?limit=9999', 422, 'INPUT_INVALID'],
    ] as const;
    for (const [path, status, error] of cases) {
      const reply = await scene.ask(path);
      expect([path, reply.status, await reply.json()]).toMatchObject([path, status, { error }]);
    }
    const post = { method: 'POST', body: '{"nonce":7}' };
    const reply = await scene.ask(`/${audit_id}/stop`, post);
    expect(reply.status).toBe(422);
  });
});

describe.each(ENGINES)('stopping through the %s engine', (engine) => {
  test('only the owner of the target stops an audit, and confirmed findings stay', async () => {
    const scene = await begin(engine);
    const { world, life, ask } = scene;
    const { audit_id, job_id } = await running(scene);
    const stop = (body?: object) =>
      ask(`/${audit_id}/stop`, { method: 'POST', ...(body ? { body: JSON.stringify(body) } : {}) });
    const working = await (await ask('?origin=https://target.example')).json();
    expect(working).toMatchObject({ audits: [{ audit_id, status: 'working' }] });
    const refused = await stop({ nonce: 'stoa-audit-v1_wrong' });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      error: 'AUDIT_UNPROVEN',
      data: { allowed: ['stop', `stop ${audit_id}`] },
    });
    world.fake.served = `stop ${audit_id}`;
    const stopped = await stop();
    expect(await stopped.json()).toEqual({ audit_id, status: 'stopping' });
    const asked = world.fake.requests;
    const state = await life.ended(job_id);
    expect(state).toMatchObject({ status: 'aborted', outcome: 'stopped' });
    expect(state.reason).toContain('owner');
    expect(world.fake.requests).toBe(asked);
    expect(world.fake.open).toBe(0);
    expect(await (await ask(`/${audit_id}`)).json()).toMatchObject({
      payload: { outcome: 'stopped' },
    });
    expect(await (await stop()).json()).toEqual({ audit_id, status: 'ended' });
  });

  test('a stop that finds the audit being reported says so, and stops nothing', async () => {
    const scene = await begin(engine);
    const { audit_id, job_id } = await audited(scene);
    const view = await scene.life.engine.view(job_id);
    const reporting = {
      ...scene.life.engine,
      view: async () => ({ ...view, status: 'active', value: 'signing' }),
      tell: () => expect.unreachable('nothing is told'),
    };
    const find = () => ({ jobId: job_id, auditId: audit_id, isOver: false }) as never;
    const desk = createPublishedAudits({
      blobs: scene.world.blobs,
      targets: scene.world.fake.targets,
      proofs: {} as never,
      engine: reporting as never,
      index: { find, waitUntilCurrent: async () => undefined } as never,
    });
    expect(await desk.stop(audit_id, {})).toEqual({ audit_id, status: 'reporting' });
  });

  test('who reads what the origin serves cannot stop an audit; who holds the nonce can', async () => {
    const scene = await begin(engine);
    const { audit_id, job_id } = await running(scene);
    scene.world.fake.hangs = false;
    const stop = (nonce: string | undefined) =>
      scene.ask(`/${audit_id}/stop`, { method: 'POST', body: JSON.stringify({ nonce }) });
    expect((await stop(scene.world.fake.served)).status).toBe(403);
    const reply = await stop(scene.world.nonce);
    expect(reply.status).toBe(200);
    expect((await scene.life.ended(job_id)).outcome).toBe('stopped');
  });
});
