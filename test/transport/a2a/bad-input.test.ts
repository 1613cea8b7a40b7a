import { request as httpRequest } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/common/error.ts';
import { BOARD_RATES } from '../../../src/transport/a2a/board-rate-limiter.ts';
import { type AskOptions, type BoardWorld, boardWorld } from '../../support/board-world.ts';
import { ENGINES } from '../../support/engines.ts';
import { signingWallet } from '../../support/signing-wallet.ts';

const buyer = signingWallet();
const HOUR_MS = 3_600_000;
const nowS = () => Math.floor(Date.now() / 1000);
const ORDER = {
  capability_id: 'translation',
  task_description: 'Translate the page.',
  budget_usd: '25.00',
  funding: 'escrow',
};
const REQUESTS = '/a2a/requests';
const JOB = '/a2a/jobs/job_1';
const SALT = 's'.repeat(32);

let world: BoardWorld;

describe.each(ENGINES)('refused by the %s engine, and nothing is asked of the board:', (engine) => {
  let asked = 0;
  beforeAll(async () => {
    world = await boardWorld(engine);
  });
  afterAll(() => world.rig.front.close());
  beforeEach(() => {
    world.time.now += HOUR_MS;
    asked = world.board.asked.length;
  });
  afterEach(() => expect(world.board.asked.length).toBe(asked));
  bodies();
  sealedBids();
  queries();
  wallets();
});

/** What a call is answered with. */
async function refusalOf(path: string, how: AskOptions = {}) {
  const answer = await world.ask(path, how);
  const body = (await answer.json()) as { error: string; message: string; data?: object };
  expect(body.message).not.toBe('');
  expect(body.data === undefined ? 'none' : body.data).toMatchObject({
    received: expect.anything(),
    allowed: expect.anything(),
  });
  return [answer.status, body.error];
}

function bodies(): void {
  const without = ({ funding: _funding, ...rest }: typeof ORDER) => rest;
  test.each([
    ['no member', REQUESTS, {}],
    ['a member too few', REQUESTS, without(ORDER)],
    ['a member too many', REQUESTS, { ...ORDER, escrow: true }],
    ['a list', REQUESTS, [ORDER]],
    ['null', REQUESTS, null],
    ['a budget that is a number', REQUESTS, { ...ORDER, budget_usd: 25 }],
    ['a budget of nothing', REQUESTS, { ...ORDER, budget_usd: '0.00' }],
    ['a budget below nothing', REQUESTS, { ...ORDER, budget_usd: '-1' }],
    ['a budget with too many places', REQUESTS, { ...ORDER, budget_usd: '1.0000001' }],
    ['a budget above the bound', REQUESTS, { ...ORDER, budget_usd: '1000000.01' }],
    ['a budget in words of science', REQUESTS, { ...ORDER, budget_usd: '1e3' }],
    ['an unknown funding', REQUESTS, { ...ORDER, funding: 'two_leg' }],
    ['a provider that is none', REQUESTS, { ...ORDER, provider: 'alice.agent' }],
    ['a task without words', REQUESTS, { ...ORDER, task_description: '' }],
    ['a task that is too long', REQUESTS, { ...ORDER, task_description: 'x'.repeat(8_001) }],
    ['a capability that is too long', REQUESTS, { ...ORDER, capability_id: 'x'.repeat(101) }],
    ['no hour', REQUESTS, { ...ORDER, open_hours: 0 }],
    ['half an hour', REQUESTS, { ...ORDER, fulfil_hours: 0.5 }],
    ['too many hours', REQUESTS, { ...ORDER, fulfil_hours: 2_161 }],
    ['a bid without a price', `${REQUESTS}/req_1/bids`, { note: 'x' }],
    [
      'a note that is too long',
      `${REQUESTS}/req_1/bids`,
      { price_usd: '1', note: 'x'.repeat(1_001) },
    ],
    ['words for a move that needs none', `${REQUESTS}/req_1/withdraw`, { why: 'x' }],
    ['words beside a payment', '/a2a/bids/bid_1/accept', { price_usd: '1' }],
    ['no deliverable', `${JOB}/fulfil`, {}],
    ['two deliverables', `${JOB}/fulfil`, { text: 'a', deliverable_base64: 'YQ==' }],
    ['an empty deliverable', `${JOB}/fulfil`, { text: '' }],
    ['base64 of the other kind', `${JOB}/fulfil`, { deliverable_base64: '-_8=' }],
    ['base64 without its padding', `${JOB}/fulfil`, { deliverable_base64: 'YQ' }],
    ['a deliverable that is too large', `${JOB}/fulfil`, { text: 'x'.repeat(262_145) }],
    ['a type with a line break', `${JOB}/fulfil`, { text: 'a', mime_type: 'text/plain\r\nx: y' }],
    ['a signature that is none', `${JOB}/complete`, { move_signature: '0x12' }],
    ['a dispute without a reason', `${JOB}/dispute`, {}],
    ['a reason that is too long', `${JOB}/dispute`, { reason: 'x'.repeat(2_001) }],
  ])('%s', async (_name, path, json) => {
    const refused = await refusalOf(path, { method: 'POST', wallet: buyer, json });
    expect(refused).toEqual([422, 'INPUT_INVALID']);
  });

  test('what is no JSON, no UTF-8, of another type, or nested without end', async () => {
    const post = { method: 'POST', wallet: buyer };
    for (const body of ['{', 'x', '"', '{"a":}']) {
      expect(await refusalOf(REQUESTS, { ...post, body })).toEqual([422, 'INPUT_INVALID']);
    }
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    for (const body of [deep, `{"capability_id":${deep}}`, '\ufeff{"capability_id":1}']) {
      expect(await refusalOf(REQUESTS, { ...post, body })).toEqual([422, 'INPUT_INVALID']);
    }
    for (const type of ['text/plain', 'application/jsonp', '']) {
      const sent = { ...post, json: ORDER, headers: { 'content-type': type } };
      expect(await refusalOf(REQUESTS, sent)).toEqual([422, 'INPUT_INVALID']);
    }
  });

  test('a body that is larger than its address takes, announced or not', async () => {
    const sizes = [
      [REQUESTS, 65_537],
      [`${REQUESTS}/req_1/bids`, 8_193],
      [`${JOB}/dispute`, 16_385],
      [`${JOB}/fulfil`, 365_913],
    ] as const;
    for (const [path, size] of sizes) {
      for (const isAnnounced of [true, false]) {
        const { status, text } = await upload(path, Buffer.alloc(size, 'x'), isAnnounced);
        expect([path, status, JSON.parse(text)]).toMatchObject([
          path,
          413,
          { error: 'BODY_TOO_LARGE', data: { allowed: expect.any(Number) } },
        ]);
      }
    }
  });
}

function sealedBids(): void {
  test.each([
    ['that is a number', 5],
    ['without its salt', { reserve_usd: '1' }],
    ['with a salt that can be guessed', { reserve_usd: '1', salt: 's'.repeat(31) }],
    ['with a salt that is too long', { reserve_usd: '1', salt: 's'.repeat(129) }],
    ['with a colon in its salt', { reserve_usd: '1', salt: `:${'s'.repeat(32)}` }],
    ['of nothing', { reserve_usd: '0', salt: SALT }],
    ['above the price', { reserve_usd: '1.000001', salt: SALT }],
    ['with a word too many', { reserve_usd: '1', salt: SALT, acts: true }],
  ])('a sealed reserve %s', async (_name, sealed) => {
    const json = { price_usd: '1', sealed };
    const refused = await refusalOf(`${REQUESTS}/req_1/bids`, {
      method: 'POST',
      wallet: buyer,
      json,
    });
    expect(refused).toEqual([422, 'INPUT_INVALID']);
  });
}

function queries(): void {
  test.each([
    [`${REQUESTS}/open?limit=0`, 422, 'INPUT_INVALID'],
    [`${REQUESTS}/open?limit=101`, 422, 'INPUT_INVALID'],
    [`${REQUESTS}/open?limit=-1`, 422, 'INPUT_INVALID'],
    [`${REQUESTS}/open?limit=1&limit=2`, 422, 'INPUT_INVALID'],
    [`${REQUESTS}/open?page=1`, 422, 'INPUT_INVALID'],
    [`${REQUESTS}/open?cursor=${'x'.repeat(401)}`, 422, 'INPUT_INVALID'],
    [`${REQUESTS}/open?src=${'x'.repeat(101)}`, 422, 'INPUT_INVALID'],
    ['/a2a/jobs?wallet=0x12', 422, 'INPUT_INVALID'],
    ['/a2a/treasury/balances?at=1', 422, 'INPUT_INVALID'],
    [`${REQUESTS}/`, 404, 'REQUEST_UNKNOWN'],
    [`${REQUESTS}/none`, 404, 'REQUEST_UNKNOWN'],
    [`${REQUESTS}/${'x'.repeat(129)}`, 404, 'REQUEST_UNKNOWN'],
    [`${REQUESTS}/a/b`, 404, 'REQUEST_UNKNOWN'],
    [`${REQUESTS}/a%20b`, 404, 'REQUEST_UNKNOWN'],
    ['/a2a/jobs/none', 404, 'JOB_UNKNOWN'],
    ['/a2a/jobs/fulfil', 404, 'JOB_UNKNOWN'],
  ])('GET %s', async (path, status, code) => {
    const answer = await world.ask(path);
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([
      status,
      code,
    ]);
  });

  test('a method that an address does not take, with those that it takes', async () => {
    for (const [path, method, allow] of [
      [REQUESTS, 'GET', 'POST'],
      [`${REQUESTS}/open`, 'POST', 'GET'],
      [`${JOB}/fulfil`, 'GET', 'POST'],
      [`${JOB}/deliverable`, 'POST', 'GET'],
      [JOB, 'DELETE', 'GET'],
      ['/a2a/treasury/balances', 'POST', 'GET'],
    ] as const) {
      const answer = await world.ask(path, { method });
      expect([path, answer.status]).toEqual([path, 405]);
      expect(answer.headers.get('allow')).toContain(allow);
    }
  });
}

function wallets(): void {
  const post = { method: 'POST', json: ORDER };

  test('a change, or a deliverable, without a wallet', async () => {
    for (const [path, how] of [
      [REQUESTS, post],
      [`${REQUESTS}/req_1/bids`, { method: 'POST', json: { price_usd: '1' } }],
      [`${REQUESTS}/req_1/begin`, { method: 'POST' }],
      ['/a2a/bids/bid_1/accept', { method: 'POST' }],
      [`${JOB}/fulfil`, { method: 'POST', json: { text: 'x' } }],
      [`${JOB}/complete`, { method: 'POST' }],
      [`${JOB}/deliverable`, {}],
    ] as const) {
      const answer = await world.ask(path, how);
      expect([path, answer.status]).toEqual([path, 401]);
      expect(await answer.json()).toMatchObject({
        error: 'WALLET_REQUIRED',
        data: { allowed: { header: 'stoa-wallet' } },
      });
    }
  });

  test.each([
    ['expired', { expiresAt: nowS() - 1 }, 401, 'WALLET_EXPIRED'],
    ['too far ahead', { expiresAt: nowS() + 900 }, 401, 'WALLET_EXPIRED'],
    ['of another chain', { chainId: 1 }, 401, 'WALLET_FORGED'],
    ['in another’s name', { claim: { address: signingWallet().address } }, 401, 'WALLET_FORGED'],
    ['with more members', { claim: { chain: 1 } }, 422, 'INPUT_INVALID'],
    ['without a nonce', { claim: { nonce: '' } }, 422, 'INPUT_INVALID'],
  ])('a signature that is %s', async (_name, claim, status, code) => {
    expect(await refusalOf(REQUESTS, { ...post, wallet: buyer, claim })).toEqual([status, code]);
  });

  test('a signature of another address, query, method or body', async () => {
    const header = await buyer.header({
      method: 'POST',
      path: REQUESTS,
      body: JSON.stringify(ORDER),
    });
    const headers = { 'stoa-wallet': header };
    for (const [path, how] of [
      [`${REQUESTS}?src=x`, post],
      [`${REQUESTS}/req_1/withdraw`, post],
      [REQUESTS, { ...post, json: { ...ORDER, budget_usd: '26' } }],
    ] as const) {
      expect(await refusalOf(path, { ...how, headers })).toEqual([401, 'WALLET_FORGED']);
    }
  });

  test('two signatures at once', async () => {
    const { port } = world.rig;
    const header = await buyer.header({ method: 'GET', path: `${JOB}/deliverable` });
    const text = await new Promise<string>((done) => {
      const request = httpRequest({ port, host: '127.0.0.1', path: `${JOB}/deliverable` });
      request.setHeader('stoa-wallet', [header, header]);
      request.on('response', (answer) => {
        let body = `${answer.statusCode} `;
        answer.on('data', (chunk: Buffer) => {
          body += chunk.toString('utf8');
        });
        answer.on('end', () => done(body));
      });
      request.end();
    });
    expect(text).toMatch(/^422 .*INPUT_INVALID/);
  });
}

describe.each(ENGINES)('through the %s engine', (engine) => {
  beforeAll(async () => {
    world = await boardWorld(engine, async () => {
      throw new AppError('CHAIN_UNAVAILABLE');
    });
  });
  afterAll(() => world.rig.front.close());

  test('a nonce of another request is refused, and the same request is the same call', async () => {
    const nonce = `0x${'ab'.repeat(32)}`;
    const post = { method: 'POST', wallet: buyer, claim: { nonce } };
    await world.ask(REQUESTS, { ...post, json: ORDER });
    await world.ask(REQUESTS, { ...post, json: ORDER });
    const keys = world.board.asked.map(({ by }) => by?.key);
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    const other = { ...post, json: { ...ORDER, budget_usd: '26' } };
    expect(await refusalOf(REQUESTS, other)).toEqual([409, 'WALLET_NONCE_USED']);
    expect(world.board.asked).toHaveLength(2);
  });

  test('a chain that is away is told as such, and a fault of ours without its detail', async () => {
    const away = await world.ask('/a2a/treasury/balances');
    expect([away.status, await away.json()]).toMatchObject([503, { error: 'CHAIN_UNAVAILABLE' }]);
    world.board.listOpenRequests = () => Promise.reject(new Error('the inside'));
    const broken = await world.ask(`${REQUESTS}/open`);
    const text = await broken.text();
    expect([broken.status, text]).toEqual([500, expect.stringContaining('INTERNAL')]);
    expect(text).not.toContain('the inside');
    expect(world.faults.map(({ code }) => code)).toEqual(['INTERNAL']);
  });

  test('one wallet, and one address, asks so often, and is told when to come back', async () => {
    world.time.now += HOUR_MS;
    const late = { method: 'POST', wallet: signingWallet() };
    const path = '/a2a/bids/none/withdraw';
    const { burst } = BOARD_RATES.wallet;
    for (let n = 0; n < burst; n += 1) expect((await world.ask(path, late)).status).toBe(404);
    const slow = await world.ask(path, late);
    expect([slow.status, slow.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await slow.json()).toMatchObject({ error: 'RATE_LIMITED', data: { limit: 'wallet' } });
    for (let n = burst + 1; n < BOARD_RATES.address.burst; n += 1) await world.ask('/a2a/jobs');
    const full = await world.ask('/a2a/jobs');
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await full.json()).toMatchObject({ error: 'RATE_LIMITED', data: { limit: 'address' } });
  });
});

/** Sends a body with its length, or in chunks. */
function upload(path: string, body: Buffer, isAnnounced: boolean) {
  return new Promise<{ status: number; text: string }>((done, fail) => {
    const request = httpRequest({
      port: world.rig.port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(isAnnounced ? { 'content-length': body.length } : { 'transfer-encoding': 'chunked' }),
      },
    });
    let isAnswered = false;
    // The server answers before it has read all, and closes.
    request.on('error', (error) => isAnswered || fail(error));
    request.on('response', (answer) => {
      isAnswered = true;
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
      });
      answer.on('end', () => done({ status: answer.statusCode ?? 0, text }));
      answer.on('error', () => done({ status: answer.statusCode ?? 0, text }));
    });
    request.end(body);
  });
}
