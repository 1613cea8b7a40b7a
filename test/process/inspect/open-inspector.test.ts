import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { openInspector } from '../../../src/process/inspect/open-inspector.ts';
import { createEngine } from '../../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { systemClock } from '../../../src/runtime/timer/clock.ts';
import { durable } from '../../../src/store/durable/durable.ts';
import { counter } from '../../support/actors.ts';
import { openSocket, type SocketClient } from '../../support/socket-client.ts';

const CARD = '4242 4242 4242 4242';

const machine = setup({
  types: {} as {
    context: { card: string; paid: number };
    input: { card: string };
    events: { type: 'PAY'; amount: number; card: string };
  },
  actors: { check: fromPromise(async () => 'fine') },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ card: input.card, paid: 0 }),
  initial: 'open',
  states: {
    open: {
      on: {
        PAY: {
          target: 'paid',
          guard: ({ event }) => {
            if (event.amount < 0) throw new RangeError(`${event.card} refuses ${event.amount}`);
            return true;
          },
          actions: assign({ paid: ({ event }) => event.amount }),
        },
      },
    },
    paid: { invoke: { src: 'check', onDone: 'over' } },
    over: { type: 'final' },
  },
});

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function openShop(options: Parameters<typeof openInspector>[1] = {}) {
  const app = await durable({ actors: { order: machine } });
  ended.push(() => app.close());
  const opened = await openInspector(app, options);
  return { app, opened, origin: new URL(opened.url).origin };
}

/** Sends messages of the protocol as a program with the token; gives the answers. */
async function connect(opened: { url: string; token: string }) {
  const url = new URL('/inspect', opened.url);
  url.protocol = 'ws:';
  url.hash = '';
  const client: SocketClient = await openSocket(url.href, {
    authorization: `Bearer ${opened.token}`,
  });
  let id = 0;
  const ask = async (message: object): Promise<Answer> => {
    id += 1;
    const mine = `{"id":${id},`;
    client.raw.send(JSON.stringify({ ...message, id }));
    return JSON.parse(await client.text((text) => text.startsWith(mine)));
  };
  return {
    client,
    read: (reading: object) => ask({ op: 'read', reading }),
    act: (action: object) => ask({ op: 'act', action, confirmed: true }),
  };
}

interface Answer {
  readonly ok: boolean;
  readonly result?: never;
  readonly error?: { readonly code: string };
}

function status(origin: string, path: string, headers: Record<string, string>): Promise<number> {
  const { port } = new URL(origin);
  return new Promise((done, fail) => {
    const sent = request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    sent.on('error', fail);
    sent.end();
  });
}

describe('who may open the inspector', () => {
  test('a page of another name gets nothing, and a stranger no chart', async () => {
    const { opened, origin } = await openShop();
    const { host } = new URL(origin);
    const bearer = `Bearer ${opened.token}`;
    expect(await status(origin, '/console/', { host })).toBe(200);
    expect(await status(origin, '/console/', { host: 'evil.example' })).toBe(403);
    expect(await status(origin, '/console/charts/index.json', { host })).toBe(401);
    expect(
      await status(origin, '/console/charts/index.json', { host, authorization: bearer }),
    ).toBe(200);
    const foreign = { host, authorization: bearer, origin: 'http://evil.example' };
    expect(await status(origin, '/console/charts/index.json', foreign)).toBe(403);
    const socket = openSocket(`ws://${host}/inspect`, { authorization: 'Bearer wrong' });
    await expect(socket).rejects.toMatchObject({ status: 401 });
  });

  test('the link opens it again and again; a wrong one does not', async () => {
    const { opened, origin } = await openShop({ token: 'a-token-of-the-test' });
    const enter = (code: string) =>
      fetch(`${origin}/console/enter`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ code }),
      });
    expect(opened.url).toBe(`${origin}/console/#enter=a-token-of-the-test`);
    expect((await enter('a-token-of-the-test')).status).toBe(204);
    expect((await enter('a-token-of-the-test')).status).toBe(204);
    const refused = await enter('a-token-of-the-tent');
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: 'ENTRY_UNKNOWN' });
  });

  test('options that are not allowed are named', async () => {
    const app = await durable({ actors: { order: machine } });
    ended.push(() => app.close());
    await expect(openInspector(app, { port: 70_000 })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      data: { name: 'port', received: 70_000 },
    });
    await expect(openInspector(app, { token: 'short' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      data: { name: 'token', received: '5 characters' },
    });
    const first = await openInspector(app);
    const port = Number(new URL(first.url).port);
    await expect(openInspector(app, { port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await first.close();
    const second = await openInspector(app, { port });
    expect(new URL(second.url).port).toBe(String(port));
  });
});

describe('what it shows', () => {
  test('actors, a chart, the journal, any row, a fork and a retry', async () => {
    const { app, opened, origin } = await openShop();
    const order = await app.order.start('1', { card: CARD });
    await order.send({ type: 'PAY', amount: 5, card: CARD });
    await order.result();
    const { read, act } = await connect(opened);
    expect(await read({ name: 'find', text: '1' })).toMatchObject({
      result: { rows: [{ id: '1', kind: 'order', state: 'over', status: 'done' }] },
    });
    expect(await read({ name: 'journal', actorId: '1', from: 1, limit: 9 })).toMatchObject({
      result: { rows: [{ seq: 1 }, { seq: 2, event: { card: CARD } }, { seq: 3 }], lastSeq: 3 },
    });
    const past = await read({ name: 'point', actorId: '1', atSeq: 1 });
    expect(past).toMatchObject({
      result: {
        activeIds: ['open'],
        context: { card: CARD, paid: 0 },
        possible: [{ eventType: 'PAY', targetIds: ['paid'] }],
      },
    });
    const { result } = await act({ name: 'fork', actorId: '1', atSeq: 1 });
    const { id: forkId } = result as never as { id: string };
    expect(forkId).toMatch(/^1\/fork-\d$/);
    const failing = { type: 'PAY', amount: -5, card: CARD };
    expect(await act({ name: 'send', actorId: forkId, event: failing })).toMatchObject({
      ok: false,
    });
    const letters = await read({ name: 'dead_letters' });
    expect(letters).toMatchObject({ result: { rows: [{ actorId: forkId }] } });
    const [{ deadLetterId, reason }] = (letters.result as never as { rows: [DeadLetter] }).rows;
    expect(reason).toContain(`${CARD} refuses -5`);
    expect(await act({ name: 'retry', deadLetterId })).toMatchObject({ ok: false });
    const chart = await fetch(`${origin}/console/charts/order.wide.svg`, {
      headers: { authorization: `Bearer ${opened.token}` },
    });
    expect(chart.headers.get('content-type')).toBe('image/svg+xml');
    expect(await chart.text()).toContain('done: check');
  });

  test('values that a rule hides are in nothing that leaves the process', async () => {
    const { app, opened } = await openShop({
      redact: ['**.card', (value, { path }) => (path.at(-1) === 'paid' ? 'secret' : value)],
    });
    const order = await app.order.start('1', { card: CARD });
    await order.send({ type: 'PAY', amount: -5, card: CARD }).catch(() => undefined);
    const { client, read } = await connect(opened);
    const point = await read({ name: 'point', actorId: '1', atSeq: 1 });
    expect(point).toMatchObject({
      result: { context: { card: { hidden: 'text', size: CARD.length }, paid: 'secret' } },
    });
    expect(await read({ name: 'dead_letters' })).toMatchObject({
      result: { rows: [{ event: { amount: -5, card: { hidden: 'text' } } }] },
    });
    await read({ name: 'journal', actorId: '1', from: 1, limit: 9 });
    client.raw.send(
      '{"id":90,"op":"subscribe","topic":{"name":"actor","actorId":"1","fromSeq":1}}',
    );
    client.raw.send(
      '{"id":91,"op":"subscribe","topic":{"name":"feed","format":"xstate","fromSeq":1}}',
    );
    await client.text((text) => text.includes('"sub":90') && text.includes('"rows"'));
    await client.text((text) => text.includes('"sub":91') && text.includes('@xstate.event'));
    expect(client.texts.join('\n')).not.toContain(CARD);
  });
});

describe('where it comes from', () => {
  test('an engine without durable: charts need its definitions, the rest does not', async () => {
    const engine = await createEngine({
      store: memoryStore(),
      clock: systemClock(),
      definitions: [counter],
    });
    await engine.create('counter', 'a');
    await engine.tell('a', { type: 'ADD', n: 2 });
    const opened = await openInspector(engine, { actions: [], definitions: [counter] });
    ended.push(async () => {
      await opened.close();
      await engine.close();
    });
    const { read, act } = await connect(opened);
    expect(await read({ name: 'find', text: 'a' })).toMatchObject({ result: { rows: [{}] } });
    expect(await act({ name: 'fork', actorId: 'a', atSeq: 1 })).toMatchObject({
      error: { code: 'ACTION_OFF' },
    });
    const list = await fetch(`${new URL(opened.url).origin}/console/charts/index.json`, {
      headers: { authorization: `Bearer ${opened.token}` },
    });
    expect(await list.json()).toMatchObject([{ kind: 'counter' }]);
  });

  test('closing the app ends the inspector', async () => {
    const app = await durable({ actors: { order: machine } });
    const { url } = await openInspector(app);
    await app.close();
    await expect(fetch(new URL(url).origin)).rejects.toThrow('fetch failed');
  });
});

interface DeadLetter {
  readonly deadLetterId: string;
  readonly reason: string;
}
