import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../../../src/domain/common/time.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import type { InspectLimits } from '../../../src/transport/inspect/limits.ts';
import { type ConsoleRig, startConsole } from '../../support/console-rig.ts';
import { ENGINES } from '../../support/engines.ts';
import { TOKEN } from '../../support/front-rig.ts';
import { numbered, type SeenSubscription } from '../../support/inspector-double.ts';
import { realClock } from '../../support/real-clock.ts';
import { openSocket } from '../../support/socket-client.ts';
import { quiet, until } from '../mcp/wire.ts';

function claim(
  name: string,
  run: (rig: ConsoleRig) => Promise<void>,
  limits: Partial<InspectLimits> = {},
): void {
  describe.each(ENGINES)('%s', (engine) => {
    test(name, async () => {
      const rig = await startConsole(engine, {}, { limits });
      try {
        await run(rig);
      } finally {
        await rig.front.close();
      }
    });
  });
}

function last({ inspector }: ConsoleRig): SeenSubscription {
  return inspector.subscriptions.at(-1) as SeenSubscription;
}

const ACTOR = { name: 'actor', actorId: 'a' } as const;

claim('a console is greeted before it asks, and counted while it is there', async (rig) => {
  const client = await rig.open();
  expect(JSON.parse(await client.text())).toMatchObject({
    sub: 0,
    kind: 'frame',
    frame: { topic: 'hello', epoch: 'e' },
  });
  expect(rig.front.consoles()).toBe(1);
  client.raw.close();
  await until(() => rig.front.consoles() === 0);
  expect(rig.front.consoles()).toBe(0);
});

claim('a program enters with the operator token and no origin', async (rig) => {
  const client = await openSocket(rig.inspectUrl, { authorization: `Bearer ${TOKEN}` });
  expect(await client.text()).toContain('"hello"');
});

claim('the answer to subscribe comes first, then what was pushed before it', async (rig) => {
  const client = await rig.open();
  const answer = await client.ask({ id: 5, op: 'subscribe', topic: ACTOR });
  expect(answer).toEqual({ id: 5, ok: true, result: null });
  const seen = last(rig);
  expect(seen.resumed).toBe(1);
  expect(seen.sink.push(numbered(1))).toBe(true);
  await client.text((text) => text.includes('"at":1'));
  expect(client.messages().slice(1)).toEqual([
    answer,
    { sub: 5, ...numbered(0) },
    { sub: 5, ...numbered(1) },
  ]);
});

claim('unsubscribe ends the subscription and nothing of it comes later', async (rig) => {
  const client = await rig.open();
  await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
  const seen = last(rig);
  expect(await client.ask({ id: 2, op: 'unsubscribe', sub: 1 })).toMatchObject({ ok: true });
  expect(seen.isEnded).toBe(true);
  expect(seen.sink.push(numbered(9))).toBe(false);
  expect(await client.ask({ id: 3, op: 'unsubscribe', sub: 1 })).toMatchObject({
    ok: false,
    error: { code: 'INPUT_INVALID', data: { received: 1, allowed: [] } },
  });
  expect(client.texts.join()).not.toContain('"at":9');
});

claim('a subscription that the inspector ends is told of and forgotten', async (rig) => {
  const client = await rig.open();
  await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
  const error = { code: 'ACTOR_CLOSED', message: 'gone' };
  last(rig).sink.push({ kind: 'ended', error });
  expect(JSON.parse(await client.text((text) => text.includes('ended')))).toEqual({
    sub: 1,
    kind: 'ended',
    error,
  });
  expect(await client.ask({ id: 2, op: 'unsubscribe', sub: 1 })).toMatchObject({ ok: false });
});

claim('reads and refusals are answered with their id, faults without their inside', async (rig) => {
  const client = await rig.open();
  const read = (id: number, reading: object) => client.ask({ id, op: 'read', reading });
  expect(await read(1, { name: 'point', actorId: 'a', atSeq: 3 })).toEqual({
    id: 1,
    ok: true,
    result: { asked: { name: 'point', actorId: 'a', atSeq: 3 } },
  });
  expect(await read(2, { name: 'find', text: 'fault' })).toEqual({
    id: 2,
    ok: false,
    error: { code: 'INTERNAL', message: 'The server failed.' },
  });
  const topic = { name: 'actor', actorId: 'none' };
  expect(await client.ask({ id: 3, op: 'subscribe', topic })).toMatchObject({
    id: 3,
    ok: false,
    error: { code: 'ACTOR_UNKNOWN', data: { received: 'none' } },
  });
});

claim('an action is done under the name of the entry, and only when confirmed', async (rig) => {
  const client = await rig.open();
  const action = { name: 'retry', deadLetterId: 'd' };
  expect(await client.ask({ id: 1, op: 'act', action })).toMatchObject({
    error: { code: 'INPUT_INVALID' },
  });
  expect(await client.ask({ id: 2, op: 'act', action, confirmed: true })).toMatchObject({
    ok: true,
  });
  expect(rig.inspector.actions).toEqual([
    { action, by: expect.stringMatching(/^console:[\w-]{8}$/) },
  ]);
});

claim(
  'subscriptions and open reads are bounded, and free their place',
  async (rig) => {
    const client = await rig.open();
    const subscribe = (id: number) => client.ask({ id, op: 'subscribe', topic: ACTOR });
    await subscribe(1);
    await subscribe(2);
    expect(await subscribe(3)).toMatchObject({
      ok: false,
      error: { code: 'OVERLOADED', data: { received: 3, allowed: 2 } },
    });
    await client.ask({ id: 4, op: 'unsubscribe', sub: 1 });
    expect(await subscribe(5)).toMatchObject({ ok: true });
    const read = (id: number) => client.ask({ id, op: 'read', reading: { name: 'coverage' } });
    const open = [read(6), read(7)];
    expect(await read(8)).toMatchObject({ ok: false, error: { code: 'OVERLOADED' } });
    expect(await read(6)).toMatchObject({ ok: false, error: { code: 'INPUT_INVALID' } });
    for (const held of rig.inspector.held) held.resolve({ reports: [] });
    await Promise.all(open);
    const later = read(9);
    await until(() => rig.inspector.held.length === 3);
    rig.inspector.held[2]?.resolve(null);
    expect(await later).toMatchObject({ ok: true });
  },
  { subscriptionsMax: 2, openReadsMax: 2 },
);

claim('an id that is in use is refused, and its subscription goes on', async (rig) => {
  const client = await rig.open();
  await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
  client.send({ id: 1, op: 'read', reading: { name: 'coverage' } });
  await client.text((text) => text.includes('"id":1,"ok":false'));
  expect(last(rig).isEnded).toBe(false);
  expect(rig.inspector.held).toHaveLength(0);
});

claim(
  'a slow console pauses its subscriptions and goes on with each where it stopped',
  async (rig) => {
    const client = await rig.open();
    await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
    await client.ask({ id: 2, op: 'subscribe', topic: { name: 'runtime' } });
    const [first, second] = rig.inspector.subscriptions as [SeenSubscription, SeenSubscription];
    client.raw.pause();
    let at = 1;
    while (first.sink.push(numbered(at, 50_000))) {
      at += 1;
      if (at % 8 === 0) await quiet(1);
      if (at > 2_000) throw new Error('never blocked');
    }
    expect(second.sink.push(numbered(0))).toBe(false);
    await quiet(50);
    expect([first.resumed, second.resumed]).toEqual([0, 0]);
    client.send({ id: 3, op: 'read', reading: { name: 'point', actorId: 'a', atSeq: 0 } });
    client.raw.resume();
    await until(() => first.resumed + second.resumed === 2);
    expect([first.resumed, second.resumed]).toEqual([1, 1]);
    expect(first.sink.push(numbered(at + 1))).toBe(true);
    await client.text((text) => text.includes(`"at":${at + 1}`));
    const numbers = client.messages().flatMap(({ sub, event }) => (sub === 1 ? [event.at] : []));
    expect(numbers).toEqual(Array.from({ length: at + 1 }, (_, index) => index + 1));
    expect(client.messages().find(({ id }) => id === 3)).toMatchObject({
      error: { code: 'OVERLOADED' },
    });
  },
  { waitingBytesMax: 200_000 },
);

describe.each(ENGINES)('%s', (engine) => {
  test('a console stays while the clock of the actors leaps', async () => {
    const clock = new SimulatedClock(0);
    const rig = await startConsole(engine, {
      clock,
      wireClock: realClock,
      sockets: { pingMs: 50 },
    });
    const client = await rig.open();
    await clock.advance(30 * DAY_MS);
    expect(await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } })).toMatchObject({
      ok: true,
    });
    await quiet(200);
    expect(client.raw.readyState).toBe(client.raw.OPEN);
    await rig.front.close();
    expect(await client.ended).toMatchObject({ code: 1001 });
  });
});

claim('all subscriptions of a console end with it, also one that is being begun', async (rig) => {
  const client = await rig.open();
  await client.ask({ id: 1, op: 'subscribe', topic: { name: 'actors' } });
  client.send({ id: 2, op: 'subscribe', topic: { ...ACTOR, actorId: 'slow' } });
  await until(() => rig.inspector.held.length === 1);
  client.raw.terminate();
  await until(() => rig.front.consoles() === 0);
  rig.inspector.held[0]?.resolve(null);
  await until(() => rig.inspector.subscriptions.length === 2);
  await quiet(20);
  expect(rig.inspector.subscriptions).toHaveLength(2);
  expect(rig.inspector.subscriptions.map(({ isEnded }) => isEnded)).not.toContain(false);
});
