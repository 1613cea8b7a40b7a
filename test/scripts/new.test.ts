import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { KINDS, PLACES_MAX, planNew } from './new-things.ts';

/** Names in another case, and names that exist, of each kind. */
const REFUSED: Readonly<Record<string, { readonly wrong: string; readonly taken: string }>> = {
  tool: { wrong: 'market/oracle_PriceFeed', taken: 'market/oracle_price-feed' },
  panel: { wrong: 'Jury', taken: 'debate' },
  venue: { wrong: 'Kraken', taken: 'kraken' },
  proof: { wrong: 'proof-of-custody', taken: 'ProofOfService' },
  event: { wrong: 'disk/diskResized', taken: 'disk/disk_created' },
  state: { wrong: 'alert/Muted', taken: 'alert/active.trigger.stale' },
  family: { wrong: 'payment/RefundNotes', taken: 'wallet/payment-ids' },
  error: { wrong: 'quota_used', taken: 'JOB_UNKNOWN' },
  command: { wrong: 'server/Backup', taken: 'machine/serve' },
  page: { wrong: 'trust/Ledger', taken: 'panel/treasury' },
  control: { wrong: 'refund_window', taken: 'trust-badge' },
  upstream: { wrong: 'openMeteo', taken: 'arxiv' },
  probe: { wrong: 'unsignedUpdates', taken: 'stack-traces' },
};

function runNew(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('node', ['scripts/new.mjs', ...args], {
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

test('alone it lists every kind with an example', () => {
  const { code, stdout, stderr } = runNew();
  expect([code, stderr]).toEqual([0, '']);
  const rows = [...stdout.matchAll(/^ {2}npm run new (\S+) +(\S+) +(.+)$/gm)];
  expect(rows.map(([, what, example]) => [what, example])).toEqual(
    KINDS.map(({ what, example }) => [what, example]),
  );
  expect(KINDS.map(({ what }) => what)).toEqual(Object.keys(REFUSED));
});

test.each(KINDS)('a new $what touches at most three places', ({ what, example }) => {
  const { paths, places, left } = planNew(process.cwd(), what, example);
  expect(places.length).toBeGreaterThan(0);
  expect(places.length).toBeLessThanOrEqual(PLACES_MAX);
  expect(paths.length).toBeLessThanOrEqual(PLACES_MAX + 1);
  expect(left.length).toBeGreaterThan(0);
});

test.each(KINDS)('a $what of a wrong name or of one that exists is refused', ({ what }) => {
  const { wrong = '', taken = '' } = REFUSED[what] ?? {};
  const plan = (name: string) => () => planNew(process.cwd(), what, name);
  expect(plan(wrong)).toThrow(expect.objectContaining({ code: 'NAME_INVALID' }));
  expect(plan(taken)).toThrow(expect.objectContaining({ code: 'NAME_TAKEN' }));
});

test.each([
  [['planet', 'mars'], 'new: KIND_UNKNOWN: `planet` is unknown. Allowed: tool, panel, '],
  [['error', 'quota'], 'new: NAME_INVALID: `quota` is not a name for a new error; it must be'],
  [['error', 'JOB_UNKNOWN'], 'new: NAME_TAKEN: `JOB_UNKNOWN` exists in src/domain/common/error.ts'],
  [['state', 'alert/active.gone.muted'], 'new: PLACE_UNKNOWN: src/machines/alert/alert.ts does '],
  [['event', 'weather/rain_began'], 'new: PLACE_UNKNOWN: src/domain/hosting/event-types.ts has '],
  [['error'], 'new: USAGE: `npm run new error` takes one name.'],
])('%j ends with 2 and says why, and nothing is written', (args, why) => {
  const { code, stdout, stderr } = runNew(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.startsWith(why), stderr).toBe(true);
});
