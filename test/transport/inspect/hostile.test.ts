import { describe, expect, test } from 'vitest';
import type { FrontOptions } from '../../../src/transport/front/front.ts';
import { type ConsoleRig, startConsole } from '../../support/console-rig.ts';
import { ENGINES } from '../../support/engines.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { numbered } from '../../support/inspector-double.ts';
import { openSilent, openSocket, refusalOf } from '../../support/socket-client.ts';
import { quiet, until, Wire } from '../mcp/wire.ts';

/** States that an attack ends with a reason, and that MCP on the same server answers meanwhile. */
function claim(
  name: string,
  attack: (rig: ConsoleRig, calls: () => Promise<void>) => Promise<void>,
  overrides: Partial<FrontOptions> = {},
  limits: NonNullable<FrontOptions['console']>['limits'] = {},
): void {
  describe.each(ENGINES)('%s', (engine) => {
    test(name, { timeout: 30_000 }, async () => {
      const rig = await startConsole(engine, overrides, { limits });
      try {
        const wire = new Wire(rig);
        await wire.open();
        const calls = async (): Promise<void> => {
          const { result } = await wire.ask('tools/list');
          expect(result.tools.length).toBeGreaterThan(0);
        };
        await attack(rig, calls);
        await calls();
      } finally {
        await rig.front.close();
      }
    });
  });
}

claim('a foreign page is 403, at another port of this machine too', async (rig) => {
  const cookie = await rig.enter();
  const { port } = new URL(rig.baseUrl);
  for (const origin of [
    'https://evil.example',
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    `http://localhost:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    'null',
    '',
  ]) {
    const refusal = await refusalOf(rig.inspectUrl, { origin, cookie });
    expect([origin, refusal.status]).toEqual([origin, 403]);
  }
  expect(rig.front.consoles()).toBe(0);
});

claim('a host that is not ours is 403', async (rig) => {
  const headers = { cookie: await rig.enter(), origin: 'http://evil.example' };
  const refusal = await refusalOf(rig.inspectUrl, { ...headers, host: 'evil.example' });
  expect(refusal).toEqual({ status: 403, body: 'host not allowed\n' });
});

claim('who has not entered is 401: no cookie, a made-up one, no origin', async (rig) => {
  const cookie = await rig.enter();
  const origin = rig.baseUrl;
  const changed = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const later = cookie.replace(/v1\.(\d+)/, (_, seconds) => `v1.${Number(seconds) + 1}`);
  for (const headers of [
    { origin },
    { origin, cookie: 'stoa_console=' },
    { origin, cookie: changed },
    { origin, cookie: later },
    { origin, cookie: `${cookie}x` },
    { origin, cookie: cookie.replace('stoa_console', 'other') },
    { origin, cookie: cookie.replace(/_[^=]*=/, '=') },
    { origin, authorization: `Bearer ${TOKEN}x` },
    { cookie },
    { authorization: 'Bearer wrong' },
    {},
  ]) {
    expect((await refusalOf(rig.inspectUrl, headers)).status).toBe(401);
  }
  expect(rig.front.consoles()).toBe(0);
});

claim('cookies that others have set under the same name lock nobody out', async (rig) => {
  const cookie = await rig.enter();
  const [name = '', value = ''] = cookie.split('=');
  const expired = value.replace(/v1\.(\d+)/, 'v1.1');
  for (const other of ['', 'a', value.slice(1), expired, `${value}x`, 'v1.9.x.y']) {
    const before = `${name}=${other}; `.repeat(5);
    const many = `${name}=${other};`.repeat(Math.floor(12_000 / (name.length + other.length + 2)));
    for (const sent of [`${before}${cookie}`, `${cookie}; ${before}`, `${many}${cookie}`]) {
      const client = await rig.open(sent);
      expect(await client.text()).toContain('hello');
      client.raw.close();
      await client.ended;
    }
  }
});

claim('forwarding headers of an unlisted proxy are 403, with the right token too', async (rig) => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host']) {
    const refusal = await refusalOf(rig.inspectUrl, { ...headers, [name]: '192.0.2.1' });
    expect(refusal).toEqual({ status: 403, body: 'forwarded by an unlisted proxy\n' });
  }
});

claim('messages that are none are told so; the fourth ends with 4400', async (rig, calls) => {
  const client = await rig.open();
  for (const text of ['{', 'nonsense', '[]']) client.send(text);
  await calls();
  await until(() => client.texts.length === 4);
  expect(client.messages().slice(1)).toEqual(
    Array.from({ length: 3 }, () => ({
      id: 0,
      ok: false,
      error: expect.objectContaining({ code: 'INPUT_INVALID' }),
    })),
  );
  client.send('{"id":"1"}');
  expect(await client.ended).toEqual({ code: 4400, reason: 'too many malformed messages' });
});

claim('what has an id and no known shape is answered by it, as often as it comes', async (rig) => {
  const client = await rig.open();
  const bad: object[] = [
    { op: 'nothing' },
    { op: 'read', reading: { name: 'journal', actorId: 'a', from: -1, limit: 1 } },
    { op: 'read', reading: { name: 'journal', actorId: 'a', from: 0, limit: 501 } },
    { op: 'subscribe', topic: { name: 'actor', actorId: 'x'.repeat(257) } },
    { op: 'subscribe', topic: { name: 'actors' }, more: 1 },
    { op: 'act', action: { name: 'fork', actorId: 'a', atSeq: 1 }, confirmed: false },
  ];
  for (const [at, message] of bad.entries()) {
    const answer = await client.ask({ ...message, id: at + 1 });
    expect(answer).toMatchObject({ id: at + 1, ok: false, error: { code: 'INPUT_INVALID' } });
    expect(answer.error.data.faults.length).toBeGreaterThan(0);
  }
  expect(client.raw.readyState).toBe(client.raw.OPEN);
});

claim('JSON of brackets is refused before it is parsed', async (rig, calls) => {
  const client = await rig.open();
  client.send('['.repeat(60_000));
  await calls();
  await client.text((text) => text.includes('BODY_TOO_LARGE'));
  client.raw.close();
});

claim('a huge message ends with 1009, a monstrous one without disturbing', async (rig, calls) => {
  const huge = await rig.open();
  huge.send('x'.repeat(65_537));
  expect(await huge.ended).toEqual({ code: 1009, reason: expect.any(String) });
  const monstrous = await rig.open();
  monstrous.send('x'.repeat(16_000_000));
  await calls();
  expect([1006, 1009]).toContain((await monstrous.ended).code);
});

claim('bytes end with 1003', async (rig) => {
  const client = await rig.open();
  client.raw.send(Buffer.from([1, 2, 3]));
  expect((await client.ended).code).toBe(1003);
});

claim('a flood ends with 4008, and its neighbour goes on', async (rig, calls) => {
  const [flooding, neighbour] = [await rig.open(), await rig.open()];
  for (let id = 1; id <= 2_000; id += 1) flooding.send({ id, op: 'unsubscribe', sub: 1 });
  await calls();
  expect(await flooding.ended).toEqual({ code: 4008, reason: 'too many messages' });
  const answers = flooding.messages().filter(({ ok }) => ok === false);
  expect(answers.length).toBeLessThanOrEqual(300);
  expect(await neighbour.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } })).toMatchObject({
    ok: true,
  });
});

claim(
  'a reader that stays behind ends with 4009',
  async (rig, calls) => {
    const client = await rig.open();
    await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
    const [seen] = rig.inspector.subscriptions;
    client.raw.pause();
    for (let at = 0; seen?.sink.push(numbered(at, 50_000)) === true; at += 1) {
      if (at % 8 === 0) await quiet(1);
    }
    await calls();
    await until(() => rig.front.consoles() === 0);
    expect(rig.front.consoles()).toBe(0);
    expect(seen?.isEnded).toBe(true);
    client.raw.resume();
    expect(await client.ended).toEqual({ code: 4009, reason: 'client too slow' });
  },
  {},
  { waitingBytesMax: 100_000, stuckMs: 300 },
);

claim(
  'a reader that is slow and catches up in time stays',
  async (rig) => {
    const client = await rig.open();
    await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
    const [seen] = rig.inspector.subscriptions;
    client.raw.pause();
    for (let at = 0; seen?.sink.push(numbered(at, 50_000)) === true; at += 1) {
      if (at % 8 === 0) await quiet(1);
    }
    client.raw.resume();
    await until(() => seen?.resumed === 1);
    await quiet(600);
    expect(client.raw.readyState).toBe(client.raw.OPEN);
  },
  {},
  { waitingBytesMax: 100_000, stuckMs: 500 },
);

claim(
  'a peer that is half there is ended, one that answers stays',
  async (rig) => {
    const cookie = await rig.enter();
    const living = await rig.open(cookie);
    const { connection, head } = await openSilent(rig.port, '/inspect', {
      Origin: rig.baseUrl,
      Cookie: cookie,
    });
    expect(head).toContain(' 101 ');
    connection.resume();
    await until(() => rig.front.consoles() === 2);
    await until(() => rig.front.consoles() === 1);
    expect(rig.front.consoles()).toBe(1);
    expect(living.raw.readyState).toBe(living.raw.OPEN);
    connection.destroy();
  },
  { sockets: { pingMs: 150 } },
);

claim(
  'more sockets than one address may have are 503',
  async (rig, calls) => {
    const cookie = await rig.enter();
    await Promise.all([rig.open(cookie), rig.open(cookie)]);
    const headers = { origin: rig.baseUrl, cookie };
    await expect(openSocket(rig.inspectUrl, headers)).rejects.toMatchObject({ status: 503 });
    await calls();
  },
  { sockets: { socketsPerAddressMax: 2 } },
);
