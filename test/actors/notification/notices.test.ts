import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  NOTICES_PER_HOUR_MAX,
  OperatorNotices,
} from '../../../src/actors/notification/operator-notices.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { NoticeInput } from '../../../src/machines/notification/notice-context.ts';
import type { ActorEngine, View } from '../../../src/runtime/engine/types.ts';
import { alertWorld } from '../../support/alert-world.ts';

const MINUTE = 60_000;
const input: NoticeInput = {
  key: 'k',
  message: { kind: 'email', title: 'title', text: 'text' },
  answerTo: null,
};
let world: Awaited<ReturnType<typeof alertWorld>>;

beforeEach(async () => {
  world = await alertWorld();
});
afterEach(() => world.world.end());

function operator() {
  const { notifier, clock, log } = world;
  return new OperatorNotices({ notifier, clock, notice: (line) => void log.push(line) });
}

function failureOf({ context }: View): unknown {
  return context['failure'];
}

test('a notice that is not taken is tried again after 30 s, 2 min and 10 min, then given up', async () => {
  const { engine } = await world.boot();
  world.notifier.failing = new AppError('EGRESS_FAILED', { message: 'the server said 451' });
  await engine.create('notice', 'notice:1', input);
  const tries: number[] = [];
  for (const wait of [0, 29_000, 1_000, 2 * MINUTE, 10 * MINUTE]) {
    await world.clock.advance(wait);
    tries.push(world.notifier.sent.length);
  }
  expect(tries).toEqual([1, 1, 2, 3, 4]);
  const view = await engine.view('notice:1');
  expect(view.value).toBe('failed');
  expect(failureOf(view)).toEqual({ code: 'EGRESS_FAILED', message: 'the server said 451' });
  expect(new Set(world.notifier.sent.map(({ key }) => key))).toEqual(new Set(['k']));
});

test('a webhook gets one try more, an hour later', async () => {
  const { engine } = await world.boot();
  world.notifier.failing = new AppError('EGRESS_TIMEOUT');
  const [webhookId, deliveryId, url] = ['wh_1', 'wh_1:1', 'https://example.org/hook'];
  const message = { kind: 'webhook', webhookId, url, event: 'a.b', deliveryId, body: '{}' };
  await engine.create('notice', 'notice:1', { ...input, message });
  await world.clock.advance(13 * MINUTE);
  expect(world.notifier.sent).toHaveLength(4);
  world.notifier.failing = undefined;
  await world.clock.advance(60 * MINUTE);
  expect(world.notifier.sent).toHaveLength(5);
  expect((await engine.view('notice:1')).value).toBe('sent');
});

test('what no other try can mend is given up at once', async () => {
  const { engine } = await world.boot();
  world.notifier.failing = new AppError('NOT_CONFIGURED');
  await engine.create('notice', 'notice:1', input);
  await world.clock.advance(0);
  expect((await engine.view('notice:1')).value).toBe('failed');
  expect(world.notifier.sent).toHaveLength(1);
});

test('a notice that was under way when the process died is sent by the next one', async () => {
  const { engine } = await world.boot();
  world.notifier.failing = new AppError('EGRESS_FAILED');
  await engine.create('notice', 'notice:1', input);
  await world.clock.advance(1_000);
  world.world.crash();
  world.notifier.failing = undefined;
  const next = await world.boot();
  await world.clock.advance(MINUTE);
  expect((await next.engine.view('notice:1')).value).toBe('sent');
});

test('the messenger is for P0 alone, and a channel that is not set up gets nothing', async () => {
  const told = operator();
  told.raise({ key: 'early', severity: 'P0', title: 'before the engine', text: 'x' });
  const { engine } = await world.boot();
  const end = told.start(engine);
  told.raise({ key: 'b', severity: 'P1', title: 'b', text: 'x' });
  await world.clock.advance(0);
  const kinds = () => world.notifier.sent.map(({ message }) => message.kind).sort();
  expect(kinds()).toEqual(['email', 'email', 'whatsapp']);
  world.notifier.missing = { email: ['STOA_SMTP_URL'], whatsapp: [] };
  told.raise({ key: 'c', severity: 'P0', title: 'c', text: 'x' });
  await world.clock.advance(0);
  expect(kinds()).toEqual(['email', 'email', 'whatsapp', 'whatsapp']);
  end();
});

test('of too many in an hour the rest stands in the log, and the next hour tells again', async () => {
  const { engine } = await world.boot();
  const told = operator();
  told.start(engine);
  for (let at = 0; at < NOTICES_PER_HOUR_MAX + 5; at += 1) {
    told.raise({ key: `k${at}`, severity: 'P1', title: `t${at}`, text: 'x' });
  }
  await world.clock.advance(0);
  expect(world.notifier.sent).toHaveLength(20);
  expect(world.log).toHaveLength(5);
  await world.clock.advance(60 * MINUTE);
  told.raise({ key: 'later', severity: 'P1', title: 'later', text: 'x' });
  await world.clock.advance(0);
  expect(world.notifier.sent).toHaveLength(21);
});

test('where the disk takes nothing, the operator is told all the same, by one try', async () => {
  const { engine } = await world.boot();
  const full: ActorEngine = Object.assign(Object.create(engine) as ActorEngine, {
    create: async () => {
      throw new AppError('STORE_FULL');
    },
    stats: () => engine.stats(),
    feed: () => () => undefined,
  });
  const told = operator();
  told.start(full);
  told.raise({ key: 'full', severity: 'P0', title: 'store is not well', text: 'full' });
  await world.clock.advance(0);
  expect(world.notifier.sent.map(({ message }) => message.kind)).toEqual(['email', 'whatsapp']);
  expect(world.log[0]).toContain('reached the reserve');
});

test('an actor that is stuck is a P0, and the same again tells nobody', async () => {
  const { engine } = await world.boot();
  const told = operator();
  told.start(engine);
  const stuck = { kind: 'actor_stuck', actorId: 'job_1', message: 'it cannot go on' };
  told.handleIncident(stuck);
  told.handleIncident(stuck);
  told.handleIncident({ kind: 'trim_failed', actorId: '', message: 'disk' });
  await world.clock.advance(0);
  const titles = world.notifier.sent.map(({ message }) =>
    'title' in message ? `${message.kind} ${message.title}` : '',
  );
  expect(titles.sort()).toEqual([
    'email [P0] actor_stuck job_1',
    'email [P1] trim_failed',
    'whatsapp [P0] actor_stuck job_1',
  ]);
});
