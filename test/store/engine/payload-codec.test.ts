import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { assign, fromPromise, sendTo, setup } from 'xstate';
import { durable } from '../../../src/store/durable/durable.ts';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import type { PayloadCodec } from '../../../src/store/engine/payload-codec.ts';
import { aesGcmCodec } from '../../../src/store/engine/payload-codec.ts';
import { tempDir } from '../../support/temp-dir.ts';

const [ONE, TWO] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const first = aesGcmCodec({ keys: { k1: ONE }, current: 'k1' });
const rotated = aesGcmCodec({ keys: { k1: ONE, k2: TWO }, current: 'k2' });

const child = setup({ types: {} as { context: { given: string }; input: string } }).createMachine({
  context: ({ input }) => ({ given: input }),
  on: { TOLD: {} },
});
const machine = setup({
  types: {} as {
    context: { card: string; got: string };
    input: { card: string };
    events: { type: 'PAY'; pin: string } | { type: 'FAIL'; why: string };
  },
  actors: {
    charge: fromPromise<string, string>(async () => 'SECRET-result'),
    wait: fromPromise<string, string>(() => new Promise(() => undefined)),
    child,
  },
}).createMachine({
  context: ({ input }) => ({ card: input.card, got: '' }),
  initial: 'open',
  states: {
    open: {
      on: {
        PAY: 'paying',
        FAIL: {
          actions: assign(() => {
            throw new RangeError('SECRET-reason');
          }),
        },
      },
      after: { 3600000: { target: 'paying' } },
    },
    paying: {
      invoke: {
        src: 'charge',
        input: 'SECRET-input',
        onDone: { target: 'kept', actions: assign({ got: ({ event }) => event.output }) },
      },
    },
    kept: {
      invoke: [
        { src: 'wait', input: 'SECRET-waiting' },
        { src: 'child', id: 'c', input: 'SECRET-child' },
      ],
      entry: sendTo('c', { type: 'TOLD', text: 'SECRET-message' }),
    },
  },
});
let dir: ReturnType<typeof tempDir>;
beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

const open = (codec?: PayloadCodec) =>
  durable({
    path: dir.path,
    actors: { order: machine },
    queues: [{ name: 'q', concurrency: 1 }],
    ...(codec === undefined ? {} : { codec }),
  });

test('no file of the folder contains a secret, and everything reads back', async () => {
  const app = await open(first);
  const o = await app.order.start('o', { card: 'SECRET-card' });
  await o.send({ type: 'PAY', pin: 'SECRET-pin' }, { idempotencyKey: 'pay-1' });
  await o.waitFor(({ value }) => value === 'kept');
  const p = await app.order.start('p', { card: 'SECRET-other' });
  await expect(p.send({ type: 'FAIL', why: 'SECRET-why' })).rejects.toMatchObject({
    code: 'EVENT_POISON',
  });
  for (const id of ['q1', 'q2']) await app.order.enqueue('q', id, { card: 'SECRET-queued' });
  await app.order.schedule('daily', { cron: '@daily', input: { card: 'SECRET-scheduled' } });
  await app.close();
  expect(contents()).not.toContain('SECRET');
  expect(contents()).toContain('paying');
  const next = await open(first);
  const view = await next.order.get('o').query();
  expect(view.context).toEqual({ card: 'SECRET-card', got: 'SECRET-result' });
  expect((await next.engine.deadLetters()).rows[0]?.event).toEqual({
    type: 'FAIL',
    why: 'SECRET-why',
  });
  expect((await next.engine.view('o/c')).context).toEqual({ given: 'SECRET-child' });
  expect((await next.engine.schedules())[0]?.input).toEqual({ card: 'SECRET-scheduled' });
  expect((await next.engine.view('o', 1)).value).toBe('open');
  await next.close();
  const store = openEngineStore({ path: dir.path, codec: first });
  await store.compact?.({ force: true });
  await store.close();
  expect(contents()).not.toContain('SECRET');
});

test('a key that is missing or another one is refused at the opening, by its id', async () => {
  await (await open(first)).close();
  const code = 'STORE_KEY_INVALID';
  await expect(open()).rejects.toMatchObject({ code, data: { keyId: 'k1' } });
  const other = aesGcmCodec({ keys: { k1: TWO }, current: 'k1' });
  await expect(open(other)).rejects.toMatchObject({ code, data: { keyId: 'k1' } });
  const gone = aesGcmCodec({ keys: { k2: TWO }, current: 'k2' });
  await expect(open(gone)).rejects.toMatchObject({
    message: 'The store needs the key k1; the codec has k2.',
  });
  await (await open(first)).close();
});

test('keys rotate: new rows have the new key, and old ones are read with the old', async () => {
  const app = await open();
  await app.order.start('plain', { card: 'one' });
  await app.close();
  const second = await open(first);
  await second.order.start('old', { card: 'two' });
  await second.close();
  const third = await open(rotated);
  await third.order.start('new', { card: 'three' });
  const cards = ['plain', 'old', 'new'].map(
    async (id) => (await third.order.get(id).query()).context.card,
  );
  expect(await Promise.all(cards)).toEqual(['one', 'two', 'three']);
  await third.close();
  await expect(open(first)).rejects.toMatchObject({ data: { keyId: 'k2' } });
});

test('a key of another length, and a codec without a folder, are refused', async () => {
  expect(() => aesGcmCodec({ keys: { k1: Buffer.alloc(7) }, current: 'k9' })).toThrow(
    'codec: the key k1 has 7 bytes; it must have 16, 24 or 32; current is k9, which is no key',
  );
  const memory = durable({ codec: first, actors: { order: machine } });
  await expect(memory).rejects.toMatchObject({ code: 'DEFINITION_INVALID' });
});

function contents(): string {
  const files = readdirSync(dir.path, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}
