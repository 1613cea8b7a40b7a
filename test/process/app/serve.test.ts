import { request } from 'node:http';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import { assign, fromPromise, setup } from 'xstate';
import { z } from 'zod';
import type { ServeOptions } from '../../../src/process/app/api-types.ts';
import { createClient } from '../../../src/process/app/client.ts';
import { serve } from '../../../src/process/app/serve.ts';
import { define } from '../../../src/runtime/engine/define.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { durable } from '../../../src/store/durable/durable.ts';

const named = fromPromise<{ by: string }>(() => Promise.reject(new Error('see effects')));
const machine = setup({
  types: {} as {
    context: { item: string; by: string };
    input: { item: string };
    events: { type: 'PAY'; amount: number } | { type: 'CANCEL' };
    output: { parcel: string };
  },
  actors: { approve: named },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ item: input.item, by: '' }),
  initial: 'open',
  states: {
    open: {
      on: {
        PAY: {
          target: 'approving',
          guard: ({ event }) => {
            if (event.amount > 1_000) throw new RangeError('too much');
            return true;
          },
        },
        CANCEL: 'over',
      },
    },
    approving: {
      invoke: {
        src: 'approve',
        onDone: { target: 'over', actions: assign({ by: ({ event }) => event.output.by }) },
      },
    },
    over: { type: 'final' },
  },
  output: ({ context }) => ({ parcel: `${context.item}, ${context.by}` }),
});
const order = define({
  kind: 'shop.order',
  version: 1,
  machine,
  effects: { approve: { run: async () => LATER } },
});

const ended: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

async function open(options: ServeOptions = {}) {
  const app = await durable({ actors: { order } });
  ended.push(() => app.close());
  const { url } = await serve(app, options);
  const { token } = options;
  const client = createClient<typeof app>({ url, ...(token === undefined ? {} : { token }) });
  return { app, url, client };
}

function post(url: string, body: string, headers: Record<string, string> = {}) {
  return fetch(url, { method: 'POST', body, headers });
}

describe('the typed client', () => {
  test('starts, sends, reads, completes an effect and waits for the result', async () => {
    const { app, client } = await open();
    const remote = await client.order.start('a/1', { item: 'lamp' });
    expect(await remote.send({ type: 'PAY', amount: 5 })).toMatchObject({ value: 'approving' });
    const result = remote.result();
    const { effects, context } = await remote.query();
    expect(context.item).toBe('lamp');
    await expect(remote.result({ timeoutMs: 30 })).rejects.toMatchObject({ code: 'ASK_TIMEOUT' });
    const token = effects[0]?.token ?? '';
    await client.complete(token, { ok: true, output: { by: 'Ada' } });
    expect(await result).toEqual({ parcel: 'lamp, Ada' });
    expect(await client.order.list({ status: 'done' })).toMatchObject({ rows: [{ id: 'a/1' }] });
    expect(await app.order.get('a/1').query()).toMatchObject({ status: 'done' });
  });

  test('errors have the codes of the local calls', async () => {
    const { client } = await open();
    const remote = await client.order.start('1', { item: 'lamp' });
    await expect(client.order.get('none').query()).rejects.toMatchObject({
      code: 'ACTOR_UNKNOWN',
      status: 404,
    });
    await expect(remote.send({ type: 'PAY', amount: 2_000 })).rejects.toMatchObject({
      code: 'EVENT_POISON',
      status: 422,
    });
    const late = remote.send({ type: 'CANCEL' }, { expectSeq: 1 });
    await expect(late).rejects.toMatchObject({ code: 'SEQ_CONFLICT', status: 409 });
    await remote.stop();
    await expect(remote.result()).rejects.toMatchObject({ code: 'ACTOR_STOPPED' });
    await expect(remote.send({ type: 'CANCEL' })).rejects.toMatchObject({ code: 'ACTOR_CLOSED' });
    await expect(
      client.complete('none:1:0', { ok: false, error: { name: 'No', message: 'no' } }),
    ).rejects.toMatchObject({ code: 'EFFECT_UNKNOWN' });
  });

  test('a repeat with the same key is the same event', async () => {
    const { client } = await open();
    const remote = await client.order.start('1', { item: 'lamp' });
    const event = { type: 'PAY', amount: 5 } as const;
    const first = await remote.send(event, { idempotencyKey: 'k' });
    expect(await remote.send(event, { idempotencyKey: 'k' })).toEqual(first);
    expect((await remote.query()).seq).toBe(2);
  });

  test('a wrong event, input or kind does not compile', async () => {
    const { client } = await open();
    const wrong = async () => {
      // @ts-expect-error The machine has no such event.
      await client.order.get('1').send({ type: 'PAID' });
      // @ts-expect-error The event needs an amount.
      await client.order.get('1').send({ type: 'PAY' });
      // @ts-expect-error The input needs an item.
      await client.order.start('1', { items: 'lamp' });
      // @ts-expect-error The machine needs an input.
      await client.order.start('1');
      // @ts-expect-error The app has no such kind.
      await client.parcel.list();
      // @ts-expect-error The engine is not served.
      await client.engine.view('1');
    };
    expect(wrong).toBeTypeOf('function');
    const actor = client.order.get('1');
    expectTypeOf<Awaited<ReturnType<typeof actor.result>>>().toEqualTypeOf<{ parcel: string }>();
    expectTypeOf<
      Awaited<ReturnType<typeof actor.query>>['context']['item']
    >().toEqualTypeOf<string>();
  });
});

describe('who may call', () => {
  test('an address that others reach needs a token, and the token is checked', async () => {
    const app = await durable({ actors: { order } });
    ended.push(() => app.close());
    await expect(serve(app, { host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      data: { name: 'host', allowed: 'a loopback address unless a token is set' },
    });
    const token = 'a-token-of-the-test';
    const { url } = await serve(app, { token });
    const refused = await fetch(`${url}/health`);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: 'UNAUTHORIZED' });
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/health`, { headers })).status).toBe(200);
    const client = createClient<typeof app>({ url, token });
    expect(await client.order.list()).toEqual({ rows: [] });
  });

  test('another host name and a foreign page are refused', async () => {
    const { url } = await open();
    const status = (headers: Record<string, string>): Promise<number> =>
      new Promise((done, fail) => {
        const sent = request(`${url}/health`, { headers }, (answer) => {
          answer.resume();
          done(answer.statusCode ?? 0);
        });
        sent.on('error', fail);
        sent.end();
      });
    expect(await status({})).toBe(200);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
  });
});

describe('what comes in is checked', () => {
  test('bodies, members and numbers', async () => {
    const { url } = await open({ bodyBytesMax: 100 });
    const at = `${url}/kinds/order`;
    const codeOf = async (response: Promise<Response>) => {
      const { status } = await response;
      const body = (await (await response).json()) as { error: string };
      return [status, body.error];
    };
    expect(await (await post(at, '[')).json()).toMatchObject({
      message: '`body` is "1 bytes"; it must be a JSON object.',
      data: { received: '1 bytes', allowed: 'a JSON object' },
    });
    expect(await codeOf(post(at, '{}'))).toEqual([422, 'INPUT_INVALID']);
    expect(await codeOf(post(at, '{"id":"1","data":1}'))).toEqual([422, 'INPUT_INVALID']);
    expect(await codeOf(post(at, `{"id":"${'1'.repeat(100)}"}`))).toEqual([413, 'BODY_TOO_LARGE']);
    expect(await codeOf(fetch(`${at}?limit=5000`))).toEqual([422, 'INPUT_INVALID']);
    expect(await codeOf(fetch(`${url}/kinds/parcel`))).toEqual([404, 'ACTOR_KIND_UNKNOWN']);
    expect(await codeOf(fetch(`${url}/nothing`))).toEqual([422, 'INPUT_INVALID']);
  });

  test('schemas of the app check inputs and events', async () => {
    const { client } = await open({
      schemas: {
        order: {
          input: z.object({ item: z.string().min(2) }),
          events: { PAY: z.object({ amount: z.number().positive() }) },
        },
      },
    });
    await expect(client.order.start('1', { item: 'x' })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('input.item'),
    });
    const remote = await client.order.start('1', { item: 'lamp' });
    await expect(remote.send({ type: 'PAY', amount: -1 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('event.amount'),
    });
    await remote.send({ type: 'PAY', amount: 1 });
  });

  test('openapi.json has every operation, and its schemas are those of the app', async () => {
    const schemas = {
      order: {
        input: z.object({ item: z.string() }),
        events: { PAY: z.strictObject({ amount: z.number() }) },
        output: { type: 'object', required: ['parcel'] },
      },
    };
    const { url } = await open({ schemas });
    const spec = (await (await fetch(`${url}/openapi.json`)).json()) as Spec;
    expect(spec.openapi).toBe('3.1.0');
    expect(Object.keys(spec.paths)).toEqual([
      '/health',
      '/effects',
      '/kinds/order',
      '/kinds/order/{id}',
      '/kinds/order/{id}/events',
      '/kinds/order/{id}/result',
      '/kinds/order/{id}/journal',
      '/kinds/order/{id}/stop',
    ]);
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(spec, 'spec');
    const check = (path: string, value: unknown) =>
      ajv.validate(
        { $ref: `spec#/paths/${path}/post/requestBody/content/application~1json/schema` },
        value,
      );
    expect(check('~1kinds~1order', { id: '1', input: { item: 'lamp' } })).toBe(true);
    expect(check('~1kinds~1order', { id: '1', input: {} })).toBe(false);
    const events = '~1kinds~1order~1%7Bid%7D~1events';
    expect(check(events, { type: 'PAY', amount: 5 })).toBe(true);
    expect(check(events, { type: 'PAY', amount: 'five' })).toBe(false);
    expect(check(events, { type: 'CANCEL' })).toBe(true);
    expect(check(events, { type: 'LOSE' })).toBe(false);
  });
});

test('closing the app ends the API and the waits of its clients', async () => {
  const app = await durable({ actors: { order } });
  const { url } = await serve(app);
  const client = createClient<typeof app>({ url });
  const remote = await client.order.start('1', { item: 'lamp' });
  const waiting = remote.result().catch((thrown: unknown) => thrown);
  await new Promise((done) => setTimeout(done, 50));
  await app.close();
  expect(await waiting).toBeInstanceOf(Error);
});

interface Spec {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, object>>;
}
