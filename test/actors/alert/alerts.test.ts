import { afterEach, expect, test } from 'vitest';
import { ALERTS_MAX } from '../../../src/actors/alert/alerts.ts';
import { AlertCondition } from '../../../src/domain/alert/definition.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import { alertWorld, OWNER, STRANGER } from '../../support/alert-world.ts';
import { proves } from '../../support/proves.ts';

const MINUTE = 60_000;
const owner = { owner: OWNER, isLocal: false };
let world: Awaited<ReturnType<typeof alertWorld>>;

afterEach(() => world.world.end());

function above(more: object = {}): AlertCondition {
  const subject = { pair: 'BTC/USD', venue: 'kraken' };
  return AlertCondition.parse({ subject, op: 'above', threshold: '100', ...more });
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'no error',
    (thrown: unknown) => (thrown instanceof AppError ? thrown.code : String(thrown)),
  );
}

test('an alert is armed, fires, arms itself again, and goes stale without data', async () => {
  proves('C2.t11.c2');
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  const { alert } = await alerts.define(above(), owner);
  expect([alert.state, alert.last_value?.value, alert.distance_to_threshold]).toEqual([
    'armed',
    '90',
    '10',
  ]);
  expect(alert.next_eval_at).toBe(new Date(world.clock.now() + MINUTE).toISOString());

  await world.minuteAt('120');
  expect((await alerts.read(alert.alert_id)).state).toBe('fired');
  await world.minuteAt('99.95');
  // Inside the band of hysteresis (0.1 % of 100) it stays as it is.
  expect((await alerts.read(alert.alert_id)).state).toBe('fired');
  await world.minuteAt('99');
  expect((await alerts.read(alert.alert_id)).state).toBe('armed');

  world.silence();
  await world.clock.advance(3 * MINUTE);
  const stale = await alerts.read(alert.alert_id);
  expect([stale.state, stale.last_transition?.reason]).toEqual(['stale', 'upstream_error']);
  expect(stale.last_value?.stale).toBe(true);
  expect(stale.history.map(({ to }) => to)).toEqual(['armed', 'fired', 'armed', 'stale']);
  expect(new Set(stale.history.map(({ key }) => key)).size).toBe(4);
});

test('a value that is true already fires at once, and a crossing never on the first value', async () => {
  world = await alertWorld();
  world.price('120');
  const { alerts } = await world.boot();
  expect((await alerts.define(above(), owner)).alert.state).toBe('fired');
  const { alert } = await alerts.define(above({ op: 'crosses_up' }), owner);
  expect(alert.state).toBe('armed');
});

test.each([
  ['old', -10],
  ['of the future', 10],
])('a price that is %s defines no alert, and says so', async (_what, minutes) => {
  world = await alertWorld();
  const asOf = world.clock.now() + minutes * MINUTE;
  world.prices.set('BTC/USD', 'kraken', { value: '90', asOf });
  const { alerts, engine } = await world.boot();
  const data = { kind: 'no_data', fault: { upstream: 'kraken', code: 'stale_data' } };
  await expect(alerts.define(above(), owner)).rejects.toMatchObject({
    code: 'EGRESS_FAILED',
    data,
  });
  expect((await engine.list({ kind: 'alert' })).rows).toEqual([]);
});

test('where the source does not answer, nothing is defined', async () => {
  world = await alertWorld();
  world.silence();
  const { alerts, engine } = await world.boot();
  expect(await codeOf(alerts.define(above(), owner))).toBe('EGRESS_TIMEOUT');
  const other = above({ subject: { pair: 'NOPE/USD', venue: 'kraken' } });
  expect(await codeOf(alerts.define(other, owner))).toBe('INPUT_INVALID');
  expect((await engine.list({ kind: 'alert' })).rows).toEqual([]);
});

test.each([
  ['ended before its first reading', 'deleted'],
  ['that reads for longer than its buyer waits', null],
])('an alert %s is given as it stands: its buyer has paid', async (_what, ended) => {
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  const { alert } = await alerts.prepare(above(), owner);
  world.prices.price = () => new Promise(() => undefined);
  const alertId = alert.alert_id;
  const begun = alerts.create(above(), { alertId, owner: OWNER, at: world.clock.now() });
  await expect.poll(() => codeOf(alerts.read(alertId))).toBe('no error');
  if (ended === null) await world.clock.advance(MINUTE / 4);
  else await alerts.remove(alertId);
  expect(await begun).toMatchObject({ alert_id: alertId, ended, last_value: null });
});

test('the same definition of one owner is one alert, until it is deleted', async () => {
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  const first = await alerts.define(above(), owner);
  const again = await alerts.define(above(), owner);
  expect([first.isNew, again.isNew]).toEqual([true, false]);
  expect(again.alert.alert_id).toBe(first.alert.alert_id);
  const foreign = await alerts.define(above(), { owner: STRANGER, isLocal: false });
  expect(foreign.alert.alert_id).not.toBe(first.alert.alert_id);

  const gone = await alerts.remove(first.alert.alert_id);
  expect([gone.active, gone.ended, gone.state]).toEqual([false, 'deleted', 'armed']);
  await alerts.remove(first.alert.alert_id);
  const next = await alerts.define(above(), owner);
  expect(next.isNew).toBe(true);
  expect(next.alert.alert_id).not.toBe(first.alert.alert_id);
});

test('an alert expires, and what it knew stays readable', async () => {
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  const { alert } = await alerts.define(above({ expires_in_s: 60 }), owner);
  await world.clock.advance(MINUTE);
  const ended = await alerts.read(alert.alert_id);
  expect([ended.active, ended.ended, ended.state]).toEqual([false, 'expired', 'armed']);
  expect(await codeOf(alerts.rearm(alert.alert_id))).toBe('EVENT_UNEXPECTED');
});

test('an alert that is armed by hand waits for it, and only a fired one takes it', async () => {
  world = await alertWorld();
  world.price('120');
  const { alerts } = await world.boot();
  const { alert } = await alerts.define(above({ rearm: 'manual' }), owner);
  await world.minuteAt('90');
  expect((await alerts.read(alert.alert_id)).state).toBe('fired');
  const armed = await alerts.rearm(alert.alert_id);
  expect([armed.state, armed.last_transition?.reason]).toEqual(['armed', 'rearmed']);
  expect(await codeOf(alerts.rearm(alert.alert_id))).toBe('EVENT_UNEXPECTED');
});

test('after a downtime an alert was stale, and comes back as what it was', async () => {
  world = await alertWorld();
  world.price('90');
  const first = await world.boot();
  const { alert } = await first.alerts.define(above({ op: 'crosses_up' }), owner);
  world.world.crash();
  await world.clock.advance(60 * MINUTE);
  world.price('120');
  const { alerts } = await world.boot();
  await world.clock.advance(MINUTE);
  const back = await alerts.read(alert.alert_id);
  expect(back.history.map(({ to, reason }) => [to, reason])).toEqual([
    ['armed', 'first_reading'],
    ['stale', 'no_data'],
    ['armed', 'resumed'],
  ]);
  // The crossing fell into the gap: it is told, and did not fire.
  expect(back.last_transition?.gap_crossed).toBe(true);
});

test('an event alert fires on public events of its topic about its subject', async () => {
  world = await alertWorld();
  const { alerts } = await world.boot();
  world.events.tell('job.released', [OWNER]);
  const condition = AlertCondition.parse({
    subject: { topic: 'job', query: OWNER.toUpperCase().replace('0X', '0x') },
    op: 'event_match',
  });
  const { alert } = await alerts.define(condition, owner);
  // What happened before does not count.
  expect(alert.state).toBe('armed');
  world.events.tell('job.disputed', [STRANGER]);
  world.events.tell('jobless', [OWNER]);
  await world.clock.advance(MINUTE);
  expect((await alerts.read(alert.alert_id)).state).toBe('armed');
  world.events.tell('job.disputed', [OWNER]);
  await world.clock.advance(MINUTE);
  expect((await alerts.read(alert.alert_id)).state).toBe('fired');
  await world.clock.advance(MINUTE);
  expect((await alerts.read(alert.alert_id)).state).toBe('armed');
});

test('an owner has a bound, and another owner does not feel it', async () => {
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  for (let at = 1; at <= ALERTS_MAX.owner; at += 1) {
    await alerts.define(above({ threshold: String(100 + at) }), owner);
  }
  expect(await codeOf(alerts.define(above(), owner))).toBe('RATE_LIMITED');
  expect((await alerts.define(above(), { owner: STRANGER, isLocal: false })).isNew).toBe(true);
});

test('ids that name nothing, and the operator’s mail for callers elsewhere, are refused', async () => {
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  const { alert } = await alerts.define(above(), owner);
  const forged = `${alert.alert_id.slice(0, -1)}${alert.alert_id.endsWith('0') ? '1' : '0'}`;
  for (const id of [forged, 'alert_x', '', `${alert.alert_id}0`]) {
    expect(await codeOf(alerts.read(id))).toBe('ALERT_UNKNOWN');
    expect(await codeOf(alerts.remove(id))).toBe('ALERT_UNKNOWN');
  }
  const mailed = above({ notify: { operator: true } });
  expect(await codeOf(alerts.define(mailed, owner))).toBe('FORBIDDEN');
  const hooked = above({ notify: { webhook_id: `wh_${'0'.repeat(40)}` } });
  expect(await codeOf(alerts.define(hooked, owner))).toBe('WEBHOOK_UNKNOWN');
});

test('a caller on this machine has a fired alert mailed to the operator, once in a cooldown', async () => {
  world = await alertWorld();
  world.price('90');
  const { alerts } = await world.boot();
  await alerts.define(above({ notify: { operator: true } }), { owner: OWNER, isLocal: true });
  for (const value of ['120', '90', '120', '90', '120']) await world.minuteAt(value);
  const titles = world.notifier.sent.map(({ message }) => 'title' in message && message.title);
  expect(titles).toEqual([
    'Alert fired: BTC/USD (kraken) above 100',
    'Alert armed: BTC/USD (kraken) above 100',
  ]);
});
