import { afterEach, expect, test } from 'vitest';
import { hashJson } from '../../../src/domain/common/hash.ts';
import { buildDelegationTypedData } from '../../../src/domain/passport/delegation.ts';
import type { FrontRoute } from '../../../src/transport/front/front-route.ts';
import { PASSPORT_RATES } from '../../../src/transport/passport/passport-routes.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import {
  delegationOf,
  type PassportProcess,
  type PassportWorld,
  passportOrder,
  passportWorld,
  wallet,
} from '../../support/passport-world.ts';
import { proves } from '../../support/proves.ts';
import type { SigningWallet } from '../../support/signing-wallet.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close();
});

interface Scene {
  readonly world: PassportWorld;
  readonly process: PassportProcess;
  readonly rig: FrontRig;
  get(path: string, accept?: string): Promise<Told>;
  post(path: string, body: unknown, signer?: SigningWallet): Promise<Told>;
}

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely.
  readonly body: any;
}

async function begin(engine: 'uws' | 'node'): Promise<Scene> {
  const world = passportWorld();
  open.push(world);
  const process = await world.start({ isLocalChain: true });
  const rig = await startFront(engine, { routes: process.routes as readonly FrontRoute[] });
  open.push({ close: () => rig.front.close() });
  const ask = async (path: string, init: RequestInit): Promise<Told> => {
    const answer = await world.drive(fetch(`${rig.baseUrl}${path}`, init));
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
  };
  const expiresAt = Math.floor(world.clock.now() / 1000) + 120;
  return {
    world,
    process,
    rig,
    get: (path, accept = 'application/json') => ask(path, { headers: { accept } }),
    post: async (path, sent, signer) => {
      const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
      const header = await signer?.header({ method: 'POST', path, body }, { expiresAt });
      const headers = header === undefined ? {} : { 'stoa-wallet': header };
      return ask(path, { method: 'POST', body, headers });
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function mint({ post }: Scene, agent: SigningWallet, name = 'alpha'): Promise<Told> {
  return post('/a2a/passports', passportOrder(agent.address, { name }), agent);
}

test.each(ENGINES)(
  'minted, bound by what the answer asks to be signed, read, claimed, revoked (%s)',
  async (engine) => {
    proves('C4.2.t1', 'C1.i1.c3', 'C5.i2.c1');
    const scene = await begin(engine);
    const agent = wallet();
    const minted = await mint(scene, agent);
    expect(minted.status).toBe(201);
    expect(minted.body).toMatchObject({
      status: 'minted',
      wallet_bound: false,
      passport: { name: 'alpha', wallet: null, custody: 'operator' },
      typed_data: { primaryType: 'AgentWalletSet', message: { newWallet: agent.address } },
    });
    const consent = {
      deadline: Number(minted.body.typed_data.message.deadline),
      signature: await agent.sign(minted.body.typed_data),
    };
    const bound = await scene.post('/a2a/passports/alpha/wallet', consent);
    expect(bound.body).toMatchObject({ wallet_bound: true, passport: { wallet: agent.address } });

    const read = await scene.get('/a2a/passport/alpha');
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'application/json']);
    const { passport_hash, signature, verify, ...rest } = read.body;
    expect([passport_hash, signature.payload_hash]).toEqual([hashJson(rest), hashJson(rest)]);
    expect(verify.steps.length).toBeGreaterThan(0);
    const byId = await scene.get(`/a2a/passport/${encodeURIComponent(rest.agent_id)}`);
    expect(byId.body.name).toBe('alpha');
    const file = await scene.get('/a2a/passport/alpha/registration.json');
    expect(file.body).toEqual(rest.registration);

    const claimed = await scene.post('/a2a/passports/alpha/claim', {}, agent);
    expect(claimed.body.passport).toMatchObject({ custody: 'self', wallet: null });
    expect(claimed.body.next).toContain('setAgentWallet');
    const reason = { reason: 'no longer used' };
    const revoked = await scene.post('/a2a/passports/alpha/revoke', reason, agent);
    expect(revoked.body.passport).toMatchObject({ status: 'revoked', revoked: reason });
    expect((await scene.get('/a2a/passport/alpha/registration.json')).body.active).toBe(false);
  },
);

test.each(ENGINES)(
  'a browser gets a page that is text alone, whatever the agent says of itself (%s)',
  async (engine) => {
    const scene = await begin(engine);
    const agent = wallet();
    const description = '<script>alert(1)</script><img src=x onerror="alert(2)">&amp;';
    const order = { ...passportOrder(agent.address), description };
    expect((await scene.post('/a2a/passports', order, agent)).status).toBe(201);
    const page = await scene.get('/a2a/passport/alpha', 'text/html,application/xhtml+xml,*/*;q=.8');
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src '/);
    expect(page.text).not.toMatch(/<script|<img|onerror="|javascript:/i);
    expect(page.text).toContain('&#60;script&#62;');
    const gone = await scene.get('/a2a/passport/nobody', 'text/html');
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('not registered')]);
  },
);

test.each(ENGINES)(
  'an agent that is not registered is a 404 that says nothing bad about it (%s)',
  async (engine) => {
    const scene = await begin(engine);
    for (const subject of [
      'nobody',
      '99',
      `0x${'1'.repeat(40)}`,
      '%2e%2e%2fetc',
      'a'.repeat(500),
    ]) {
      const { status, body } = await scene.get(`/a2a/passport/${subject}`);
      expect([status, body.error]).toEqual([404, 'PASSPORT_UNKNOWN']);
      expect(body.message).toContain('not registered');
      expect(JSON.stringify(body)).not.toMatch(/untrusted|bad|fraud|suspicious/i);
    }
  },
);

test.each(ENGINES)(
  'the service states its own passport, and lists all of them (%s)',
  async (engine) => {
    const scene = await begin(engine);
    await scene.world.drive(until(() => scene.process.own.id() !== undefined));
    const own = await scene.get('/.well-known/agent-registration.json');
    expect(own.body).toMatchObject({
      name: 'stoa',
      x402Support: true,
      registrations: [{ agentId: 0 }],
    });
    for (const name of ['bravo', 'alpha']) await mint(scene, wallet(), name);
    const first = await scene.get('/a2a/passports?limit=2');
    expect(first.body.passports.map(nameOf)).toEqual(['alpha', 'bravo']);
    const rest = await scene.get(`/a2a/passports?cursor=${first.body.cursor}`);
    expect([rest.body.passports.map(nameOf), rest.body.cursor]).toEqual([['stoa'], null]);
  },
);

test.each(ENGINES)(
  'granted by a signature, read with the verdict, listed, revoked (%s)',
  async (engine) => {
    const scene = await begin(engine);
    const [root, other] = [wallet(), wallet()];
    const delegation = delegationOf({ delegator: root.address, delegate: other.address });
    const signature = await root.sign(buildDelegationTypedData(delegation, 31_337));
    const granted = await scene.post('/a2a/delegations', { delegation, signature });
    expect([granted.status, granted.body.is_valid]).toEqual([201, true]);
    const { delegation_id } = granted.body;
    const read = await scene.get(`/a2a/delegations/${delegation_id}`);
    expect(read.body).toMatchObject({ is_valid: true, links: [{ delegation, signature }] });
    const listed = await scene.get(`/a2a/delegations?wallet=${other.account.address}`);
    expect(listed.body.delegations).toMatchObject([{ delegation_id, status: 'active' }]);
    const path = `/a2a/delegations/${delegation_id}/revoke`;
    const refused = await scene.post(path, { reason: 'mine' }, other);
    expect([refused.status, refused.body.error]).toEqual([403, 'NOT_THE_PARTY']);
    const revoked = await scene.post(path, { reason: 'over' }, root);
    expect(revoked.body).toMatchObject({ is_valid: false, links: [{ status: 'revoked' }] });
  },
);

test.each(ENGINES)('what cannot be read is refused by name (%s)', async (engine) => {
  const scene = await begin(engine);
  const delegation = delegationOf();
  const bad = [
    ['{', 'the body'],
    [{ delegation }, 'signature'],
    [{ delegation: { ...delegation, scope: [] }, signature: '0x01' }, 'delegation.scope'],
    [{ delegation: { ...delegation, scope: ['A B'] }, signature: '0x01' }, 'delegation.scope.0'],
    [{ delegation: { ...delegation, depth: 9 }, signature: '0x01' }, 'delegation.depth'],
    [{ delegation: { ...delegation, more: 1 }, signature: '0x01' }, 'delegation'],
  ] as const;
  for (const [sent, place] of bad) {
    const { status, body } = await scene.post('/a2a/delegations', sent);
    expect([status, body.error], JSON.stringify(sent)).toEqual([422, 'INPUT_INVALID']);
    expect(body.message).toContain(`at ${place}:`);
  }
  expect((await scene.get('/a2a/delegations')).body.error).toBe('INPUT_INVALID');
  expect((await scene.get('/a2a/delegations?wallet=0x1')).body.error).toBe('INPUT_INVALID');
  expect((await scene.get('/a2a/delegations/dlg_1')).body.error).toBe('DELEGATION_UNKNOWN');
});

test.each(ENGINES)(
  'what cannot be read is refused by name, and nothing is minted (%s)',
  async (engine) => {
    const scene = await begin(engine);
    const agent = wallet();
    const order = passportOrder(agent.address);
    const bad = [
      ['{', 'the body'],
      [[], 'the body'],
      [{ ...order, name: 'Alpha' }, 'name'],
      [{ ...order, name: 'ab' }, 'name'],
      [{ ...order, agent_class: 'a b' }, 'agent_class'],
      [{ ...order, operator_id: 'a@b' }, 'operator_id'],
      [{ ...order, description: 'x'.repeat(501) }, 'description'],
      [{ ...order, description: 'a\u0000b' }, 'description'],
      [{ ...order, image: 'javascript:alert(1)' }, 'image'],
      [{ ...order, services: [{ name: 'web', endpoint: 'file:///etc' }] }, 'services.0.endpoint'],
      [{ ...order, wallet: '0x1' }, 'wallet'],
      [{ ...order, score: 100 }, 'the body'],
    ] as const;
    for (const [sent, place] of bad) {
      const { status, body } = await scene.post('/a2a/passports', sent, agent);
      expect([status, body.error], JSON.stringify(sent)).toEqual([422, 'INPUT_INVALID']);
      expect(body.message).toContain(`at ${place}:`);
    }
    expect((await scene.get('/a2a/passports?limit=50')).body.passports.map(nameOf)).not.toContain(
      'alpha',
    );
  },
);

test.each(ENGINES)(
  'who does not sign, signs for another, or signs something else, changes nothing (%s)',
  async (engine) => {
    const scene = await begin(engine);
    const [agent, other] = [wallet(), wallet()];
    const order = passportOrder(agent.address);
    const path = '/a2a/passports';
    const body = JSON.stringify(order);
    const sign = { method: 'POST', path, body };
    const inTime = { expiresAt: Math.floor(scene.world.clock.now() / 1000) + 120 };
    const send = async (header: string, text = body) =>
      (
        await scene.world.drive(
          fetch(`${scene.rig.baseUrl}${path}`, {
            method: 'POST',
            body: text,
            headers: { 'stoa-wallet': header },
          }),
        )
      ).json() as Promise<{ error: string }>;
    expect((await scene.post(path, order)).body.error).toBe('WALLET_REQUIRED');
    expect((await scene.post(path, order, other)).body.error).toBe('NOT_THE_PARTY');
    const header = await agent.header(sign, inTime);
    expect((await send(header, `${body} `)).error).toBe('WALLET_FORGED');
    const late = await agent.header(sign, { expiresAt: 1_000 });
    expect((await send(late)).error).toBe('WALLET_EXPIRED');
    const nonce = `0x${'7'.repeat(64)}`;
    const elsewhere = await agent.header({ ...sign, path: `${path}?src=x` }, { ...inTime, nonce });
    expect((await send(elsewhere)).error).toBe('WALLET_FORGED');
    expect((await scene.get('/a2a/passport/alpha')).status).toBe(404);
    expect(await send(header)).toMatchObject({ status: 'minted' });
    expect(await send(header)).toMatchObject({ status: 'minted' });
  },
);

test.each(ENGINES)(
  'bodies and addresses beyond the bounds, other methods, and too many calls (%s)',
  async (engine) => {
    const scene = await begin(engine);
    const agent = wallet();
    const large = { ...passportOrder(agent.address), description: 'x'.repeat(10_000) };
    expect((await scene.post('/a2a/passports', large, agent)).status).toBe(413);
    expect((await scene.get('/a2a/passport/alpha/other')).status).toBe(404);
    expect((await scene.get('/a2a/passport/%zz')).body.error).toBe('INPUT_INVALID');
    expect((await scene.get('/a2a/passport/alpha?who=1')).body.error).toBe('INPUT_INVALID');
    expect((await scene.get('/a2a/passports?limit=51')).body.error).toBe('INPUT_INVALID');
    expect((await scene.get('/a2a/passports?cursor=../x')).body.error).toBe('INPUT_INVALID');
    expect((await scene.post('/a2a/passport/alpha', {})).status).toBe(405);
    expect((await scene.post('/a2a/passports/alpha/burn', {}, agent)).status).toBe(404);
    const codes: number[] = [];
    for (let call = 0; call < PASSPORT_RATES.changes.burst + 5; call += 1) {
      codes.push((await scene.post('/a2a/passports', '{}')).status);
    }
    expect(codes.filter((code) => code === 429).length).toBeGreaterThanOrEqual(5);
  },
);

test.each(ENGINES)(
  'a name of another says whose it is; a chain that is down says so (%s)',
  async (engine) => {
    const scene = await begin(engine);
    const [agent, other] = [wallet(), wallet()];
    await mint(scene, agent);
    const taken = await mint(scene, other);
    expect([taken.status, taken.body]).toMatchObject([
      409,
      { error: 'NAME_TAKEN', data: { received: 'alpha', taken_by: agent.address } },
    ]);
    scene.world.chain.faults.isDown = true;
    const down = await scene.get('/a2a/passport/alpha');
    expect([down.status, down.body.error]).toEqual([503, 'CHAIN_UNAVAILABLE']);
    scene.world.chain.faults.isDown = false;
    expect((await scene.get('/a2a/passport/alpha')).status).toBe(200);
  },
);

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

async function until(claim: () => boolean): Promise<void> {
  while (!claim()) await new Promise((done) => setTimeout(done, 5));
}
