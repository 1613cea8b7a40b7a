import { expect, test } from 'vitest';
import type { JournalRow } from '../../src/domain/inspect/wire.ts';
import { ConnectionWorld, HELLO, settled } from './connection-world.ts';

function opened(): ConnectionWorld {
  const world = new ConnectionWorld();
  world.connection.start();
  world.open();
  return world;
}

function row(seq: number): JournalRow {
  return { id: 'a', seq } as JournalRow;
}

test('what was asked before the line is open is sent when it opens', () => {
  const world = new ConnectionWorld();
  world.connection.subscribe<'actors'>({ name: 'actors' }, {});
  void world.connection.read({ name: 'coverage' });
  world.connection.start();
  expect(world.connection.state.value.name).toBe('connecting');
  const { sent } = world.open();
  expect(sent.map(({ op }) => op)).toEqual(['subscribe', 'read']);
  expect(world.connection.state.value.name).toBe('live');
});

test('each answer settles its own reading, and a refusal keeps its code', async () => {
  const { connection, socket } = opened();
  const first = connection.read({ name: 'coverage' });
  const second = connection.read({ name: 'find', text: 'a' });
  const [one, other] = socket.sent.map(({ id }) => id);
  socket.say({ id: other ?? 0, ok: false, error: { code: 'ACTOR_UNKNOWN', message: 'none' } });
  socket.say({ id: one ?? 0, ok: true, result: { reports: [] } });
  await expect(first).resolves.toEqual({ reports: [] });
  await expect(second).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN', message: 'none' });
});

test('hello is kept, and pushes reach the listener of their subscription alone', () => {
  const { connection, socket } = opened();
  const heard: string[] = [];
  connection.subscribe<'actor'>(
    { name: 'actor', actorId: 'a', fromSeq: 0 },
    { rows: (rows) => heard.push(`a ${rows.length}`) },
  );
  const { id } = socket.last('subscribe');
  connection.subscribe<'feed'>(
    { name: 'feed' },
    { rows: (rows) => heard.push(`all ${rows.length}`) },
  );
  socket.say({ sub: 0, kind: 'frame', frame: HELLO });
  socket.say({ sub: id, kind: 'rows', rows: [row(0), row(1)], nextSeq: 2 });
  expect(connection.hello.value).toEqual(HELLO);
  expect(heard).toEqual(['a 2']);
});

test('after a break rows go on where they stopped, under a new id', async () => {
  const world = opened();
  world.connection.subscribe<'actor'>({ name: 'actor', actorId: 'a', fromSeq: 0 }, {});
  const before = world.socket.last('subscribe');
  world.socket.say({ sub: before.id, kind: 'rows', rows: [row(0), row(1)], nextSeq: 2 });
  await world.breakOff();
  await world.pass(250);
  const after = world.open().last('subscribe');
  expect(after.topic).toEqual({ name: 'actor', actorId: 'a', fromSeq: 2 });
  expect(after.id).toBeGreaterThan(before.id);
});

test('a break before the first row loses none that came after the first frame', async () => {
  const world = opened();
  world.connection.subscribe<'actor'>({ name: 'actor', actorId: 'a' }, {});
  const { id } = world.socket.last('subscribe');
  for (const seq of [7, 9]) {
    world.socket.say({ sub: id, kind: 'frame', frame: { topic: 'actor', seq } as never });
  }
  await world.breakOff();
  await world.pass(250);
  expect(world.open().last('subscribe').topic).toMatchObject({ fromSeq: 8 });
});

test('tries come back later and later, never later than five seconds', async () => {
  const world = new ConnectionWorld();
  world.connection.start();
  const waits: number[] = [];
  for (let times = 0; times < 7; times += 1) {
    await world.breakOff();
    const { state } = world.connection;
    if (state.value.name !== 'lost') throw new Error(state.value.name);
    const opened = world.sockets.length;
    let waitedMs = 0;
    for (; world.sockets.length === opened; waitedMs += 50) await world.pass(50);
    waits.push(waitedMs);
  }
  expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000]);
});

test('chance spreads a try over the second half of its wait', async () => {
  const world = opened();
  world.chance = 0;
  await world.breakOff();
  await world.pass(124);
  expect(world.sockets).toHaveLength(1);
  await world.pass(1);
  expect(world.sockets).toHaveLength(2);
});

test('the time of a break is that of its begin, however many tries fail', async () => {
  const world = opened();
  await world.breakOff();
  const { state } = world.connection;
  const since = state.value.name === 'lost' ? state.value.since : 0;
  await world.pass(250);
  await world.breakOff();
  expect(state.value).toMatchObject({ name: 'lost', since });
  await world.pass(500);
  world.open();
  expect(state.value.name).toBe('live');
});

test('a browser that may not connect is signed out and asks no more', async () => {
  const world = new ConnectionWorld();
  world.connection.start();
  world.admission = 'no';
  await world.breakOff();
  expect(world.connection.state.value.name).toBe('signed-out');
  await world.pass(60_000);
  expect(world.sockets).toHaveLength(1);
  world.connection.start();
  world.open();
  expect(world.connection.state.value.name).toBe('live');
});

test('a reading is asked again after a break, an action never', async () => {
  const world = opened();
  const reading = world.connection.read({ name: 'coverage' });
  const action = world.connection.act({ name: 'retry', deadLetterId: 'd' });
  const failed = expect(action).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  await world.breakOff();
  await failed;
  await world.pass(250);
  const socket = world.open();
  expect(socket.sent.map(({ op }) => op)).toEqual(['read']);
  socket.say({ id: socket.last('read').id, ok: true, result: 1 });
  await expect(reading).resolves.toBe(1);
});

test('an action without a line is refused at once and not sent later', async () => {
  const world = new ConnectionWorld();
  world.connection.start();
  const action = world.connection.act({ name: 'fork', actorId: 'a', atSeq: 1 });
  await expect(action).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
  expect(world.open().sent).toEqual([]);
});

test('a line that answers nothing is opened anew', async () => {
  const world = opened();
  void world.connection.read({ name: 'coverage' });
  await world.pass(15_000);
  expect(world.connection.state.value.name).toBe('lost');
  expect(world.socket.isClosed).toBe(true);
  await world.pass(250);
  expect(world.open().last('read').reading).toEqual({ name: 'coverage' });
});

test('a sign of life keeps the line, silence opens it anew', async () => {
  const world = opened();
  world.connection.probe();
  world.socket.say({ id: world.socket.last('unsubscribe').id, ok: true, result: null });
  await world.pass(4000);
  expect(world.connection.state.value.name).toBe('live');
  world.connection.probe();
  await world.pass(4000);
  expect(world.connection.state.value.name).toBe('lost');
});

test('what was ended, by the page or by the server, is not begun again', async () => {
  const world = opened();
  const end = world.connection.subscribe<'actors'>({ name: 'actors' }, {});
  const reasons: string[] = [];
  world.connection.subscribe<'panel'>(
    { name: 'panel', actorId: 'gone' },
    { ended: ({ code }) => reasons.push(code) },
  );
  const { id } = world.socket.last('subscribe');
  end();
  expect(world.socket.last('unsubscribe').sub).toBeLessThan(id);
  world.socket.say({ id, ok: false, error: { code: 'ACTOR_UNKNOWN', message: 'none' } });
  await world.breakOff();
  await world.pass(250);
  expect(world.open().sent).toEqual([]);
  expect(reasons).toEqual(['ACTOR_UNKNOWN']);
});

test('a page that is left hears nothing more', async () => {
  const world = opened();
  const { socket } = world;
  world.connection.stop();
  await settled();
  expect(socket.isClosed).toBe(true);
  expect(world.connection.state.value.name).toBe('signed-out');
  await world.pass(60_000);
  expect(world.sockets).toHaveLength(1);
});
