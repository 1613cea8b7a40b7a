import { afterEach, beforeEach, expect, test } from 'vitest';
import { WEBHOOKS_MAX } from '../../../src/actors/notification/webhooks.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import { alertWorld, OWNER, STRANGER } from '../../support/alert-world.ts';

const HOUR = 3_600_000;
const order = { url: 'https://example.org/hook', events: ['job.*'] };
const by = (key: string, wallet = OWNER) => ({ wallet, key });
let world: Awaited<ReturnType<typeof alertWorld>>;

beforeEach(async () => {
  world = await alertWorld();
});
afterEach(() => world.world.end());

/** Events that were posted, without pings. */
function posted(): readonly string[] {
  return world.notifier.sent.flatMap(({ message }) =>
    message.kind === 'webhook' && message.event !== 'webhook.ping' ? [message.deliveryId] : [],
  );
}

test('after five deliveries that were given up a webhook is off, until its owner turns it on', async () => {
  const { webhooks } = await world.boot();
  const { webhook_id: id } = await webhooks.register(order, by('1'));
  world.notifier.failing = new AppError('EGRESS_FAILED');
  for (let at = 1; at <= 5; at += 1) {
    expect((await webhooks.read(id)).state).toBe('active');
    world.events.tell('job.released', [OWNER]);
    await world.clock.advance(2 * HOUR);
  }
  expect(await webhooks.read(id)).toMatchObject({ state: 'disabled', failures: 5, taken: 0 });
  const tries = posted().length;
  expect(tries).toBe(25);
  world.events.tell('job.released', [OWNER]);
  await world.clock.advance(HOUR);
  expect(posted()).toHaveLength(tries);

  world.notifier.failing = undefined;
  await expect(webhooks.enable(id, by('2', STRANGER))).rejects.toMatchObject({
    code: 'NOT_THE_PARTY',
  });
  expect(await webhooks.enable(id, by('2'))).toMatchObject({ state: 'active', failures: 0 });
  await world.clock.advance(0);
  world.events.tell('job.released', [OWNER]);
  await world.clock.advance(HOUR);
  // The event of the time in between is not told.
  expect(posted().slice(tries)).toEqual([`${id}:event:6`]);
});

test('events that came while the process was gone are told by the next one, once', async () => {
  const first = await world.boot();
  const { webhook_id: id } = await first.webhooks.register(order, by('1'));
  world.events.tell('job.opened', [OWNER]);
  await world.clock.advance(0);
  world.world.crash();
  world.events.tell('job.escrowed', [OWNER]);
  world.events.tell('job.fulfilled', [STRANGER]);
  world.events.tell('job.released', [OWNER]);
  const second = await world.boot();
  await world.clock.advance(0);
  await second.feed.stop();
  const expected = [0, 1, 3].map((seq) => `${id}:event:${seq}`);
  expect(posted()).toEqual(expected);
  // It keeps that it has seen them all: a third start reads nothing again.
  const { seq } = (await second.engine.view(id)).context as { seq: number };
  expect(seq).toBe(4);
});

test('a webhook for anyone hears of all, and types are matched whole', async () => {
  const { webhooks } = await world.boot();
  const { webhook_id: id } = await webhooks.register(
    { ...order, events: ['job.released'], about: ['*'] },
    by('1'),
  );
  for (const type of ['job.released', 'job.released_late', 'job', 'job.released']) {
    world.events.tell(type, [STRANGER]);
  }
  await world.clock.advance(0);
  expect(posted()).toEqual([`${id}:event:0`, `${id}:event:3`]);
});

test('an address that does not take the ping is not registered', async () => {
  const { webhooks, engine } = await world.boot();
  world.notifier.failing = new AppError('EGRESS_TIMEOUT');
  await expect(webhooks.register(order, by('1'))).rejects.toMatchObject({ code: 'EGRESS_TIMEOUT' });
  expect((await engine.list({ kind: 'webhook' })).rows).toEqual([]);
});

test('the same signed call gives the same webhook and secret, and a wallet has a bound', async () => {
  const { webhooks } = await world.boot();
  const first = await webhooks.register(order, by('1'));
  expect(await webhooks.register(order, by('1'))).toEqual(first);
  expect(first.secret).toBe(world.secretOf(first.webhook_id));
  for (let at = 2; at <= WEBHOOKS_MAX.owner; at += 1) {
    const { secret } = await webhooks.register(order, by(String(at)));
    expect(secret).not.toBe(first.secret);
  }
  await expect(webhooks.register(order, by('more'))).rejects.toMatchObject({
    code: 'RATE_LIMITED',
  });
  await webhooks.remove(first.webhook_id, by('x'));
  expect((await webhooks.register(order, by('more'))).state).toBe('active');
});
