import {
  appendFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Ledger, openLedger } from '../../../src/connect/ledger/ledger.ts';
import {
  createLedgerReport,
  formatLedgerReport,
} from '../../../src/connect/ledger/ledger-report.ts';
import { resolveExpired } from '../../../src/connect/ledger/resolve-expired.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { nonceOf, reservedRow } from './rows.ts';

const ADDRESS = `0x${'1'.repeat(40)}`;
const NOON = Date.parse('2026-11-20T12:00:00.000Z');

interface Rig {
  readonly folder: string;
  readonly clock: { now: number };
  open(): Ledger;
  /** Path of the month's file. */
  file(month?: string): string;
}

function rig(): Rig {
  const dir = tempDir();
  onTestFinished(dir.remove);
  const clock = { now: NOON };
  return {
    folder: dir.path,
    clock,
    open: () => {
      const ledger = openLedger({ folder: dir.path, address: ADDRESS, now: () => clock.now });
      onTestFinished(() => ledger.close());
      return ledger;
    },
    file: (month = '2026-11') => join(dir.path, `ledger-11111111-${month}.jsonl`),
  };
}

const ended = { outcome: 'settled', code: null, refund: null, tx: `0x${'a'.repeat(64)}` } as const;

test('rows are lines of JSON in a file of the user alone, and another opener reads them', () => {
  const { open, file } = rig();
  const ledger = open();
  expect(ledger.reserve(reservedRow())).toBe(true);
  ledger.recordOutcome(nonceOf(1), ended);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const rows = readFileSync(file(), 'utf8').trimEnd().split('\n');
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([
    { outcome: 'reserved', tool: 'buy', amount: '1000000', nonce: nonceOf(1), tx: null },
    { outcome: 'settled', tool: 'buy', amount: '1000000', nonce: nonceOf(1), tx: ended.tx },
  ]);
  expect(open().entries()).toEqual(ledger.entries());
  expect(open().totalsToday('buy')).toEqual({ day: 1_000_000n, tool: 1_000_000n });
});

test('of two openers at the edge of a cap, the first in the file wins', () => {
  const { open } = rig();
  const [one, two] = [open(), open()];
  const caps = { perCall: '2000000', perDay: '1500000', perTool: null };
  expect(two.totalsToday('buy').day).toBe(0n);
  expect(one.reserve(reservedRow({ caps }))).toBe(true);
  expect(two.reserve(reservedRow({ caps, nonce: nonceOf(2) }))).toBe(false);
  expect(one.totalsToday('buy').day).toBe(1_000_000n);
  expect(two.findPending('call')?.reserved.nonce).toBe(nonceOf(1));
});

test('a torn last line is skipped, what is written after it is not lost', () => {
  const { open, file } = rig();
  open().reserve(reservedRow());
  appendFileSync(file(), '{"outcome":"reserved","amo');
  const ledger = open();
  expect(ledger.entries()).toHaveLength(1);
  expect(ledger.reserve(reservedRow({ nonce: nonceOf(2) }))).toBe(true);
  ledger.recordOutcome(nonceOf(2), ended);
  const again = open();
  expect(again.entries().map(({ last }) => last.outcome)).toEqual(['reserved', 'settled']);
  expect(again.countUnreadable()).toBe(1);
});

test('a month that is full takes no payment', () => {
  const { open, file } = rig();
  open().reserve(reservedRow());
  truncateSync(file(), 64 * 1024 * 1024);
  const ledger = open();
  expect(ledger.totalsToday('buy').day).toBe(1_000_000n);
  expect(() => ledger.reserve(reservedRow({ nonce: nonceOf(2) }))).toThrow(
    'The ledger of the wallet cannot be written, so the wallet did not pay.',
  );
  expect(ledger.entries()).toHaveLength(1);
});

test('a foreign or spoiled line changes no sum', () => {
  const { open, file } = rig();
  open().reserve(reservedRow());
  appendFileSync(file(), 'null\n[]\n{"outcome":"settled"}\nno json\n');
  expect(open().totalsToday('buy').day).toBe(1_000_000n);
  expect(open().entries()).toHaveLength(1);
});

test('each month has a file; the last one is looked into for payments without an outcome', () => {
  const { open, clock, file } = rig();
  clock.now = Date.parse('2026-10-31T23:59:59.900Z');
  const ledger = open();
  ledger.reserve(reservedRow({ time: '2026-10-31T23:59:59.900Z' }));
  clock.now = Date.parse('2026-11-01T00:00:01.000Z');
  expect(ledger.totalsToday('buy').day).toBe(0n);
  expect(ledger.findPending('call')?.reserved.nonce).toBe(nonceOf(1));
  ledger.recordOutcome(nonceOf(1), ended);
  expect(ledger.findPending('call')).toBeUndefined();
  expect(readFileSync(file('2026-10'), 'utf8')).toContain('"settled"');
});

test('files above 13 months go when the ledger is opened, those of other wallets stay', () => {
  const { open, folder, file } = rig();
  const months = ['2025-09', '2025-10', '2025-11', '2026-10'];
  for (const month of months) writeFileSync(file(month), '');
  const foreign = 'ledger-22222222-2020-01.jsonl';
  writeFileSync(join(folder, foreign), '');
  open();
  expect(readdirSync(folder).sort()).toEqual([
    'ledger-11111111-2025-11.jsonl',
    'ledger-11111111-2026-10.jsonl',
    foreign,
  ]);
});

test('a doubtful payment is presented again until it has run out, an unknown one always', () => {
  const { open, clock } = rig();
  const ledger = open();
  ledger.reserve(reservedRow());
  ledger.reserve(reservedRow({ nonce: nonceOf(2), call: 'other' }));
  ledger.recordOutcome(nonceOf(2), { ...ended, outcome: 'doubtful', code: 'INTERNAL', tx: null });
  expect(ledger.findPending('other')).toBeDefined();
  clock.now = 1_795_176_300_000 + 61_000;
  expect(ledger.findPending('other')).toBeUndefined();
  expect(ledger.findPending('call')).toBeDefined();
  expect(ledger.listExpired()).toHaveLength(2);
});

test('only the chain releases what has run out, and only what it says is unused', async () => {
  const { open, clock } = rig();
  const ledger = open();
  for (const place of [1, 2, 3]) {
    ledger.reserve(reservedRow({ nonce: nonceOf(place), call: `call ${place}` }));
  }
  const asked: string[] = [];
  const purse = { network: 'eip155:31337', asset: `0x${'3'.repeat(40)}` };
  const look = {
    balanceOf: async () => undefined,
    isSpent: async (_asset: string, _payer: string, nonce: string) => {
      asked.push(nonce);
      return nonce === nonceOf(3) ? undefined : nonce === nonceOf(2);
    },
  };
  await resolveExpired(ledger, { asset: purse, reader: look });
  expect(asked).toEqual([]);
  clock.now = 1_795_176_300_000 + 61_000;
  await resolveExpired(ledger, { asset: purse });
  expect(ledger.listExpired()).toHaveLength(3);
  await resolveExpired(ledger, { asset: purse, reader: look });
  expect(ledger.entries().map(({ last }) => last.outcome)).toEqual([
    'released',
    'settled',
    'reserved',
  ]);
  expect(ledger.totalsToday('buy').day).toBe(2_000_000n);
});

test('the printed ledger has the sums of each day and tool first, and no signature', () => {
  const { open } = rig();
  const ledger = open();
  ledger.reserve(reservedRow());
  ledger.reserve(reservedRow({ nonce: nonceOf(2), time: '2026-11-20T13:00:00.000Z' }));
  ledger.reserve(reservedRow({ nonce: nonceOf(3), amount: '9000000' }));
  ledger.recordOutcome(nonceOf(1), ended);
  const page = createLedgerReport(ADDRESS, ledger.entries(), ledger.countUnreadable());
  expect(page.days).toEqual([
    {
      day: '2026-11-20',
      tool: 'buy',
      payments: 2,
      settled: { amount: '1.00', currency: 'USD', micro_usd: '1000000' },
      held: { amount: '1.00', currency: 'USD', micro_usd: '1000000' },
    },
  ]);
  expect(page.payments.map(({ outcome }) => outcome)).toEqual(['settled', 'reserved']);
  const lines = formatLedgerReport(page).split('\n');
  expect(lines[0]).toBe(`Wallet ${ADDRESS}`);
  expect(lines[2]).toMatch(/^day +tool +payments +settled +held$/);
  expect(lines[3]).toMatch(/^2026-11-20 +buy +2 +\$1\.00 +\$1\.00$/);
  expect(lines.at(-2)).toContain(ended.tx);
  expect(JSON.stringify(page)).not.toContain('signature');
});
