import { afterEach, expect, test } from 'vitest';
import { sweepEnded } from '../../../src/actors/notification/sweep-ended.ts';
import { AlertCondition } from '../../../src/domain/alert/definition.ts';
import { alertWorld, OWNER } from '../../support/alert-world.ts';

const DAY = 86_400_000;
let world: Awaited<ReturnType<typeof alertWorld>>;

afterEach(() => world.world.end());

test('notices go a week after their end, alerts after a month, and what lives stays', async () => {
  world = await alertWorld();
  world.price('90');
  const { engine, alerts } = await world.boot();
  const message = { kind: 'email', title: 't', text: 'x' };
  await engine.create('notice', 'notice:1', { key: 'k', message, answerTo: null });
  const above = (threshold: string) =>
    AlertCondition.parse({
      subject: { pair: 'BTC/USD', venue: 'kraken' },
      op: 'above',
      threshold,
      eval_interval_s: 3_600,
      expires_in_s: 90 * 86_400,
    });
  const owner = { owner: OWNER, isLocal: false };
  const [gone, kept] = [
    (await alerts.define(above('100'), owner)).alert,
    (await alerts.define(above('200'), owner)).alert,
  ];
  await alerts.remove(gone.alert_id);
  const { signal } = new AbortController();
  const sweep = () => sweepEnded(engine, { now: world.clock.now(), signal });
  expect(await sweep()).toBe(0);
  await world.clock.advance(8 * DAY);
  expect(await sweep()).toBe(1);
  await expect(engine.view('notice:1')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  expect((await alerts.read(gone.alert_id)).ended).toBe('deleted');
  await world.clock.advance(23 * DAY);
  expect(await sweep()).toBe(1);
  await expect(alerts.read(gone.alert_id)).rejects.toMatchObject({ code: 'ALERT_UNKNOWN' });
  expect((await alerts.read(kept.alert_id)).active).toBe(true);
});
