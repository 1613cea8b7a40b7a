import { afterEach, describe, expect, test } from 'vitest';
import { AlertCondition } from '../../../src/domain/alert/definition.ts';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { alertService } from '../../support/alert-service.ts';
import { MAIL_LOGIN, type MailServer, startMailServer } from '../../support/mail-server.ts';
import { type Outside, startOutside, type TakenRequest } from '../../support/outside.ts';
import { proves } from '../../support/proves.ts';
import { until } from '../../support/real-server.ts';
import { signingWallet } from '../../support/signing-wallet.ts';
import { isValidDelivery } from '../../support/valid-delivery.ts';

const HOOKS = '/a2a/webhooks';
const owner = signingWallet();
const stranger = signingWallet();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function outside(): Promise<Outside> {
  const server = await startOutside();
  closing.push(server.close);
  return server;
}

async function mailServer(): Promise<MailServer> {
  const server = await startMailServer();
  closing.push(server.close);
  return server;
}

async function service(options: Parameters<typeof alertService>[0] = {}) {
  const started = await alertService(options);
  closing.push(started.close);
  return started;
}

async function errorOf(answer: Response): Promise<readonly [number, string]> {
  return [answer.status, ((await answer.json()) as { error: string }).error];
}

function mailEnv(port: number): Readonly<Record<string, string>> {
  const { user, password } = MAIL_LOGIN;
  return {
    STOA_SMTP_URL: `smtp://${user}:${password}@127.0.0.1:${port}`,
    STOA_OPERATOR_EMAIL: 'operator@example.org',
    STOA_SENDER_EMAIL: 'stoa@example.org',
  };
}

/** Checks a delivery as docs/notices.md tells its receiver to. */
function isGenuine({ headers, body }: TakenRequest, secret: string): boolean {
  const header = String(headers['stoa-signature']);
  return isValidDelivery({ secret, header, body }, Math.floor(Date.now() / 1000));
}

describe.each(['node', 'uws'] as const)('webhooks over %s', (http) => {
  test('a webhook takes a ping, is told of its owner’s events, signed, and once each', async () => {
    proves('C6.s2');
    const receiver = await outside();
    const { ask, events } = await service({ http, reach: [receiver.host] });
    events.tell('job.released', [owner.address], 'before');
    const json = { url: `${receiver.url}/hook`, events: ['job.*'] };
    const answer = await ask('POST', HOOKS, { json, wallet: owner });
    expect(answer.status).toBe(201);
    const { webhook_id: id, secret, state } = (await answer.json()) as Record<string, string>;
    expect([state, receiver.taken.length]).toEqual(['active', 1]);
    const [ping] = receiver.taken;
    expect(ping?.headers['stoa-event']).toBe('webhook.ping');
    expect(ping !== undefined && isGenuine(ping, secret ?? '')).toBe(true);

    events.tell('job.released', [owner.address], 'mine');
    events.tell('job.released', [stranger.address], 'not mine');
    events.tell('passport.minted', [owner.address], 'not wanted');
    events.tell('job.disputed', [owner.address, stranger.address], 'mine too');
    await until(() => receiver.taken.length >= 3);
    const told = receiver.taken.slice(1);
    expect(told.map(({ headers }) => headers['stoa-event'])).toEqual([
      'job.released',
      'job.disputed',
    ]);
    expect(told.every((one) => isGenuine(one, secret ?? ''))).toBe(true);
    expect(
      told.map(({ body }) => (JSON.parse(body) as { data: { ref: string } }).data.ref),
    ).toEqual(['mine', 'mine too']);
    const forged = { ...(told[0] as TakenRequest), body: `${told[0]?.body} ` };
    expect(isGenuine(forged, secret ?? '')).toBe(false);

    await until(async () => (await stateOf(ask, id)).taken === 2);
    const shown = await stateOf(ask, id);
    expect(Object.keys(shown)).not.toContain('secret');
    expect(JSON.stringify(shown)).not.toContain(receiver.host);

    const gone = await ask('DELETE', `${HOOKS}/${id}`, { wallet: owner });
    expect(((await gone.json()) as { state: string }).state).toBe('removed');
    events.tell('job.released', [owner.address], 'after');
    await new Promise((done) => setTimeout(done, 100));
    expect(receiver.taken).toHaveLength(3);
  });
});

describe.each(['node', 'uws'] as const)('requests over %s', (http) => {
  test('bad, foreign and repeated requests get their own errors and change nothing', async () => {
    const receiver = await outside();
    const { ask, engine } = await service({ http, reach: [receiver.host] });
    const json = { url: `${receiver.url}/hook`, events: ['job.*'] };
    const post = (how: Parameters<typeof ask>[2]) => ask('POST', HOOKS, how);
    expect(await errorOf(await post({ json }))).toEqual([401, 'WALLET_REQUIRED']);
    expect(await errorOf(await post({ body: '{', wallet: owner }))).toEqual([422, 'INPUT_INVALID']);
    const bad = [
      { ...json, events: [] },
      { ...json, events: ['*'] },
      { url: json.url },
      { ...json, more: 1 },
      { ...json, about: [] },
    ];
    for (const wrong of bad) {
      const answer = await post({ json: wrong, wallet: owner });
      expect(await errorOf(answer)).toEqual([422, 'INPUT_INVALID']);
    }
    const large = { ...json, events: Array.from({ length: 9_000 }, () => 'job.*') };
    expect(await errorOf(await post({ json: large, wallet: owner }))).toEqual([
      413,
      'BODY_TOO_LARGE',
    ]);
    for (const url of [
      'http://10.0.0.1/x',
      'file:///etc/passwd',
      'http://127.0.0.1:1/',
      'nothing-x',
    ]) {
      const answer = await post({ json: { ...json, url }, wallet: owner });
      expect(await errorOf(answer)).toEqual([422, 'EGRESS_BLOCKED']);
    }
    receiver.answer(302, '', { location: 'http://169.254.169.254/' });
    expect(await errorOf(await post({ json, wallet: owner }))).toEqual([502, 'EGRESS_FAILED']);
    expect((await engine.list({ kind: 'webhook' })).rows).toEqual([]);

    receiver.answer(204);
    const body = JSON.stringify(json);
    const header = await owner.header({ method: 'POST', path: HOOKS, body });
    const first = (await (await post({ body, header })).json()) as Record<string, string>;
    const again = (await (await post({ body, header })).json()) as Record<string, string>;
    expect(again).toEqual(first);
    const other = JSON.stringify({ ...json, events: ['alert.*'] });
    expect(await errorOf(await post({ body: other, header }))).toEqual([401, 'WALLET_FORGED']);

    const own = `${HOOKS}/${first['webhook_id']}`;
    expect(await errorOf(await ask('DELETE', own, { wallet: stranger }))).toEqual([
      403,
      'NOT_THE_PARTY',
    ]);
    expect(await errorOf(await ask('DELETE', own))).toEqual([401, 'WALLET_REQUIRED']);
    const none = `${HOOKS}/wh_${'0'.repeat(40)}`;
    for (const method of ['GET', 'DELETE']) {
      const answer = await ask(method, none, { wallet: owner });
      expect(await errorOf(answer)).toEqual([404, 'WEBHOOK_UNKNOWN']);
    }
    expect((await (await ask('GET', own)).json()) as object).toMatchObject({ state: 'active' });
  });
});

describe.each(['node', 'uws'] as const)('alerts over %s', (http) => {
  test('alerts are read, armed and deleted by their id over plain HTTP', async () => {
    const { ask, prices, alerts } = await service({ http });
    prices.set('BTC/USD', 'kraken', { value: '120', asOf: Date.now() });
    const condition = {
      subject: { pair: 'BTC/USD', venue: 'kraken' },
      op: 'above',
      threshold: '100',
      rearm: 'manual',
    };
    const by = { owner: owner.address, isLocal: false };
    const { alert } = await alerts.define(AlertCondition.parse(condition), by);
    const path = `/a2a/alerts/${alert.alert_id}`;
    expect(await (await ask('GET', path)).json()).toMatchObject({ state: 'fired', active: true });
    expect(await (await ask('POST', `${path}/rearm`)).json()).toMatchObject({ state: 'armed' });
    expect(await errorOf(await ask('POST', `${path}/rearm`))).toEqual([409, 'EVENT_UNEXPECTED']);
    expect(await (await ask('DELETE', path)).json()).toMatchObject({ active: false });
    expect(await (await ask('GET', path)).json()).toMatchObject({ ended: 'deleted' });
    expect(await errorOf(await ask('GET', '/a2a/alerts/alert_nothing'))).toEqual([
      404,
      'ALERT_UNKNOWN',
    ]);
    expect(await errorOf(await ask('GET', `${path}?x=1`))).toEqual([422, 'INPUT_INVALID']);
  });
});

test('an alert that fires is told to its owner’s webhook', async () => {
  const receiver = await outside();
  const { ask, prices, alerts } = await service({ reach: [receiver.host] });
  const json = { url: receiver.url, events: ['alert.fired'] };
  const answer = await ask('POST', HOOKS, { json, wallet: owner });
  const { webhook_id: id } = (await answer.json()) as { webhook_id: string };
  prices.set('BTC/USD', 'kraken', { value: '120', asOf: Date.now() });
  const condition = AlertCondition.parse({
    subject: { pair: 'BTC/USD', venue: 'kraken' },
    op: 'above',
    threshold: '100',
    notify: { webhook_id: id },
  });
  const { alert } = await alerts.define(condition, { owner: owner.address, isLocal: false });
  await until(() => receiver.taken.length === 2);
  const { event, key, data } = JSON.parse(receiver.taken[1]?.body ?? '{}');
  expect([event, key]).toEqual(['alert.fired', `${alert.alert_id}:1`]);
  expect(data).toMatchObject({ alert_id: alert.alert_id, to: 'fired', value: '120' });
  const foreign = alerts.define(condition, { owner: stranger.address, isLocal: false });
  await expect(foreign).rejects.toMatchObject({ code: 'WEBHOOK_UNKNOWN' });
});

test('a P0 reaches the operator by mail and messenger, once for one happening', async () => {
  proves('C6.s1', 'C5.t1', 'C5.t2', 'C5.t3');
  const mail = await mailServer();
  const messenger = await outside();
  messenger.answer(200, JSON.stringify({ messages: [{ id: 'wamid.1' }] }));
  const { operator, engine } = await service({
    env: {
      ...mailEnv(mail.port),
      STOA_OPERATOR_WHATSAPP: '+4915112345678',
      STOA_WHATSAPP_TOKEN: 'token-of-the-messenger',
      STOA_WHATSAPP_PHONE_ID: '123456',
      STOA_WHATSAPP_URL: messenger.url,
    },
    reach: [messenger.host],
  });
  const notice = {
    key: 'stuck:1',
    severity: 'P0',
    title: 'An actor is stuck',
    text: 'job_1',
  } as const;
  operator.raise(notice);
  operator.raise(notice);
  operator.raise({ ...notice, key: 'refund', severity: 'P1', title: 'A refund is due' });
  await until(() => mail.mails.length === 2 && messenger.taken.length === 1);
  const [first] = mail.mails;
  expect([first?.from, first?.to]).toEqual(['stoa@example.org', ['operator@example.org']]);
  expect(first?.raw).toContain('Subject: [P0] An actor is stuck');
  const [message] = messenger.taken;
  expect([message?.path, message?.headers.authorization]).toEqual([
    '/123456/messages',
    'Bearer token-of-the-messenger',
  ]);
  expect(JSON.parse(message?.body ?? '{}')).toEqual({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '4915112345678',
    type: 'text',
    text: { body: '[P0] An actor is stuck\njob_1' },
  });
  await until(async () => (await engine.list({ kind: 'notice', state: 'sent' })).rows.length === 3);
  // The key makes the Message-ID: a mail that came twice is seen to be one.
  const id = `notice:email:${sha256Hex('stuck:1').slice(0, 40)}`;
  expect(first?.raw).toContain(`Message-ID: <${sha256Hex(id).slice(0, 40)}@example.org>`);
});

test('without its variables a channel is off and says so, and nothing is made', async () => {
  const { operator, engine } = await service({ env: { STOA_OPERATOR_EMAIL: 'op@example.org' } });
  operator.raise({ key: 'k', severity: 'P0', title: 't', text: 'x' });
  await new Promise((done) => setTimeout(done, 50));
  expect((await engine.list({ kind: 'notice' })).rows).toEqual([]);
});

async function stateOf(
  ask: Awaited<ReturnType<typeof alertService>>['ask'],
  id: string | undefined,
) {
  return (await (await ask('GET', `${HOOKS}/${id}`)).json()) as { taken: number; state: string };
}
