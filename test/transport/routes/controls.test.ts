import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { MINUTE_MS } from '../../../src/domain/common/time.ts';
import {
  CONTROL_CATALOG,
  CONTROL_IDS,
  CONTROLS,
  type ControlLabel,
} from '../../../src/domain/control/control-catalog.ts';
import { addControlRoutes } from '../../../src/process/control/controls.ts';
import { CONTROL_READS } from '../../../src/transport/control/control-routes.ts';
import { plainRoute } from '../../../src/transport/front/front-route.ts';
import { MANIFEST_READS } from '../../../src/transport/manifest/manifest-routes.ts';
import { jsonReply } from '../../../src/transport/proof/replies.ts';
import { type MemoryControls, memoryControls } from '../../support/controls.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront, TOKEN } from '../../support/front-rig.ts';
import { proves } from '../../support/proves.ts';
import { testService } from '../../support/tool-service.ts';

const time = { now: Date.UTC(2026, 0, 1) };
const clock = { now: () => time.now, at: () => () => undefined };
const chain = { facts: { network: 'eip155:31337', token: `0x${'1'.repeat(40)}` } };
const READ = { methods: ['GET'], access: 'open' } as const;

/** Counts the controls of a label beyond the 17 of the specification. */
const countFurther = (label: ControlLabel) =>
  CONTROL_IDS.slice(17).filter((id) => CONTROLS[id] === label).length;

let controls: MemoryControls;
const offered = testService();
const rigs = new Map<string, FrontRig>();
let rig: FrontRig;

beforeAll(async () => {
  controls = memoryControls();
  for (const engine of ENGINES) rigs.set(engine, await open(engine));
});
beforeEach(() => controls.set({}));
afterAll(() => Promise.all([...rigs.values()].map((one) => one.front.close())));

async function open(engine: (typeof ENGINES)[number]): Promise<FrontRig> {
  const opened: FrontRig = await startFront(engine, {
    routes: addControlRoutes(
      { controls, chain, clock, seal: sha256Hex, origin: { current: () => opened.baseUrl } },
      { offered },
      [
        plainRoute({ ...READ, path: '/a2a/passport/', isPrefix: true }, () => jsonReply(200, {})),
        plainRoute({ ...READ, path: '/v1/proofs/', isPrefix: true }, () => jsonReply(200, {})),
        plainRoute({ methods: ['POST'], path: '/v1/services/trust-check', access: 'open' }, () =>
          jsonReply(402, {}),
        ),
      ],
    ),
  });
  return opened;
}

function use(engine: string): void {
  beforeAll(() => {
    const found = rigs.get(engine);
    if (found === undefined) throw new Error(`no front over ${engine}`);
    rig = found;
  });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function ask(path: string, init: RequestInit = {}): Promise<any> {
  const answer = await fetch(`${rig.baseUrl}${path}`, init);
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    ...(text.startsWith('{') ? JSON.parse(text) : {}),
  };
}

function change(id: string, body: unknown, token = TOKEN) {
  return ask(`/a2a/controls/${id}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

describe.each(ENGINES)('controls over %s', (engine) => {
  use(engine);

  test('all controls are told to anyone, with labels, meanings, and what they do not do', async () => {
    proves('C8.s3');
    const told = await ask('/a2a/controls');
    expect(told.status).toBe(200);
    expect(told.pack_date).toBe('2026-09-19');
    expect(told.controls.map((row: { id: string }) => row.id)).toEqual(CONTROL_IDS);
    expect(told.limits.join(' ')).toMatch(
      /not make terms enforceable.*lever over release or voiding on the pay-first path.*trust in the operator.*every reserve, deliverable and verdict/,
    );
    expect(told.labels).toEqual({
      LIVE: 'Runs and acts.',
      SHADOW: 'Runs and records; does not act.',
      OFF: 'Built; not enabled.',
    });
  });

  test('the operator changes a label and is named with the reason', async () => {
    proves('C3.s2');
    const body = { label: 'OFF', why: 'a drill', who: 'ops-1' };
    expect(await change('payer-binding', body)).toMatchObject({
      status: 200,
      id: 'payer-binding',
      label: 'OFF',
      acts: false,
    });
    const { controls: rows } = await ask('/a2a/controls');
    const row = rows.find(({ id }: { id: string }) => id === 'payer-binding');
    expect([row.label, row.statement]).toEqual([
      'OFF',
      'OFF: built, not enabled. It protects nobody.',
    ]);
  });
});

describe.each(ENGINES)('refusals of controls over %s', (engine) => {
  use(engine);

  test('nobody else changes one, and what is wrong with a change is said', async () => {
    const good = { label: 'OFF', why: 'a drill' };
    const refused = [
      [await change('payer-binding', good, 'no such token'), 401, undefined],
      [await change('no-such-control', good), 404, 'CONTROL_UNKNOWN'],
      [await change('payer-binding', '{'), 422, 'INPUT_INVALID'],
      [await change('payer-binding', { ...good, label: 'ON' }), 422, 'INPUT_INVALID'],
      [await change('payer-binding', { label: 'OFF' }), 422, 'INPUT_INVALID'],
      [await change('payer-binding', { ...good, why: '   ' }), 422, 'INPUT_INVALID'],
      [await change('payer-binding', { ...good, why: 'x'.repeat(501) }), 422, 'INPUT_INVALID'],
      [await change('payer-binding', { ...good, who: 'a\nb' }), 422, 'INPUT_INVALID'],
      [await change('payer-binding', { ...good, role: 'operator' }), 422, 'INPUT_INVALID'],
      [await ask('/a2a/controls?label=OFF'), 422, 'INPUT_INVALID'],
    ] as const;
    for (const [answer, status, error] of refused) {
      expect([answer.status, answer.error]).toEqual([status, error]);
    }
    const large = await fetch(`${rig.baseUrl}/a2a/controls/payer-binding`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: 'x'.repeat(5_000),
    });
    expect(large.status).toBe(413);
    expect(controls.labelOf('payer-binding')).toBe('LIVE');
  });
});

describe.each(ENGINES)('closed addresses over %s', (engine) => {
  use(engine);

  test.each([
    ['passport-read', 'GET', '/a2a/passport/atlas'],
    ['settlement-proof-read', 'GET', '/v1/proofs/settlement/set_1'],
    ['trust-badge', 'POST', '/v1/services/trust-check'],
    ['reputation-lookup', 'POST', '/v1/services/trust-check'],
  ] as const)(
    '%s that is not LIVE closes %s %s, and nothing beside it',
    async (id, method, path) => {
      expect((await ask(path, { method })).status).not.toBe(503);
      controls.set({ [id]: 'OFF' });
      expect(await ask(path, { method })).toMatchObject({
        status: 503,
        error: 'CONTROL_OFF',
        data: { control: id, label: 'OFF', read: '/a2a/controls' },
      });
      expect((await ask('/v1/proofs/checkpoint')).status).toBe(200);
    },
  );
});

describe.each(ENGINES)('manifests over %s', (engine) => {
  use(engine);

  test('the manifest counts and names what is really there, with the risk that stays', async () => {
    proves('C2.t13', 'C4.2.t4');
    const told = await ask('/.well-known/agent-services.json');
    expect(told.status).toBe(200);
    const of = (kind: string) =>
      told.services.filter((row: { kind: string }) => row.kind === kind).map(nameOf);
    expect(of('tool')).toEqual(offered.tools.map(({ name }) => name));
    expect(of('http')).toEqual([
      'passport',
      'settlement_proof',
      'proof_file',
      'proof_checkpoint',
      'controls',
      'trust_check',
    ]);
    expect(told.counts).toMatchObject({
      tools: offered.tools.length,
      http_services: 6,
      services: offered.tools.length + 6,
      controls: {
        LIVE: 14 + countFurther('LIVE'),
        SHADOW: 2 + countFurther('SHADOW'),
        OFF: 1 + countFurther('OFF'),
      },
    });
    expect(told.mcp.map(({ url }: { url: string }) => url)).toEqual([
      `${rig.baseUrl}/mcp`,
      `${rig.baseUrl}/v2/`,
      `${rig.baseUrl}/v1/mcp`,
    ]);
    expect(told.payment).toMatchObject({
      protocol: 'x402',
      network: 'eip155:31337',
      fee_bps: 2000,
    });
    expect(told.counterparty_risk.limits).toHaveLength(3);
    expect(told.counterparty_risk.pack_date).toBe('2026-09-19');
    expect(told.updated_at).toBe('2026-01-01T00:00:00.000Z');
    controls.set({ 'passport-read': 'OFF' });
    const closed = await ask('/.well-known/agent-services.json');
    expect(closed.counts.http_services).toBe(5);
    expect(closed.services.map(nameOf)).not.toContain('passport');
  });

  test('the card has the members of public server cards, and ours under _meta', async () => {
    proves('C4.2.t5');
    const { status, headers: _headers, ...card } = await ask('/.well-known/mcp/server-card.json');
    expect(status).toBe(200);
    expect(Object.keys(card).sort()).toEqual(
      ['$schema', '_meta', 'description', 'icons', 'name', 'remotes', 'title', 'version'].sort(),
    );
    expect(card.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(card.description.length).toBeLessThanOrEqual(100);
    expect(card.remotes[0]).toMatchObject({
      type: 'streamable-http',
      url: `${rig.baseUrl}/mcp`,
    });
    expect(card.remotes[0].supportedProtocolVersions).toContain('2025-11-25');
    expect(card._meta['stoa/counts'].tools).toBe(offered.tools.length);
    expect(card._meta['stoa/limits']).toHaveLength(3);
    expect(card._meta['stoa/authentication']).toEqual({ required: false, api_key: false });
  });

  test('a manifest is asked for again, and is sent again only when it has changed', async () => {
    for (const path of ['/.well-known/agent-services.json', '/.well-known/mcp/server-card.json']) {
      const first = await ask(path);
      expect(first.headers.get('cache-control')).toBe('public, no-cache');
      const headers = { 'if-none-match': first.headers.get('etag') };
      expect((await ask(path, { headers })).status).toBe(304);
      controls.set({ 'witness-scoring': 'SHADOW' });
      expect((await ask(path, { headers })).status).toBe(200);
      controls.set({});
      expect((await ask(`${path}?x=1`)).status).toBe(422);
    }
  });
});

describe.each(ENGINES)('busy readers over %s', (engine) => {
  use(engine);

  test.each([
    ['/a2a/controls', CONTROL_READS],
    ['/.well-known/agent-services.json', MANIFEST_READS],
  ] as const)(
    'an address that asks %s too often is told when to come back',
    async (path, reads) => {
      const answers = await Promise.all(Array.from({ length: reads.burst + 1 }, () => ask(path)));
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused[0]?.error).toBe('RATE_LIMITED');
      expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
      time.now += MINUTE_MS;
      expect((await ask(path)).status).toBe(200);
    },
  );
});

test('prices of the catalog are those of the specification', () => {
  proves('C1.i5');
  const specified = CONTROL_IDS.slice(0, 17);
  const priced = specified.map((id) => [id, CONTROL_CATALOG[id].price] as const);
  expect(Object.fromEntries(priced.filter(([, price]) => /^\d+$/.test(price)))).toEqual({
    'reputation-lookup': '10000',
    'trust-badge': '10000',
    'prehire-check': '250000',
    'injection-resilience': '500000',
    'process-attestation': '250000',
    'single-use-seal': '50000',
    'dispute-arbitration': '5000000',
  });
  expect(new Set(CONTROL_IDS.map((id) => CONTROL_CATALOG[id].stage))).toEqual(
    new Set(['before', 'during', 'after']),
  );
});

function nameOf({ name }: { readonly name: string }): string {
  return name;
}
