import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import type { NewPublicEvent } from '../../../src/domain/event/event-log.ts';
import { openTrustStore } from '../../../src/store/chain/trust-store.ts';
import { Environment } from '../../../src/store/common/environment.ts';
import { tempDir } from '../../support/temp-dir.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');
const folder = tempDir();
const opened: { close(): Promise<void> }[] = [];
let count = 0;
afterAll(() => folder.remove());
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

function open(name: string) {
  const store = openTrustStore({ path: join(folder.path, name) });
  opened.push(store);
  return store;
}

async function reopened(name: string) {
  for (const each of opened.splice(0)) await each.close();
  return open(name);
}

function told(over: Partial<NewPublicEvent> = {}): NewPublicEvent {
  count += 1;
  return {
    key: `key ${count}`,
    type: 'job.released',
    ref: `job_${count}`,
    subjects: ['0xabc'],
    data: { n: count },
    happenedAt: NOW + count,
    ...over,
  };
}

describe('the public feed on disk', () => {
  test('events are numbered from 0 without a gap, and read alike after a restart', async () => {
    const { events } = open('dense');
    const all = await Promise.all(Array.from({ length: 200 }, () => events.append(told())));
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(all[0]).toMatchObject({ at: new Date(NOW + 1).toISOString(), type: 'job.released' });
    expect(events.size).toBe(200);
    expect(events.read(0, 1_000)).toEqual(all);
    expect(events.read(190, 5)).toEqual(all.slice(190, 195));
    expect(events.read(200, 5)).toEqual([]);
    expect((await reopened('dense')).events.read(0, 1_000)).toEqual(all);
  });

  test('a repeat with the same key gives the first event, at once and after a restart', async () => {
    const { events } = open('repeats');
    const asked = told();
    const [first, second] = await Promise.all([events.append(asked), events.append(asked)]);
    expect(second).toEqual(first);
    expect(await events.append({ ...asked, data: { other: true } })).toEqual(first);
    const again = (await reopened('repeats')).events;
    expect(await again.append(asked)).toEqual(first);
    expect(again.size).toBe(1);
  });

  test('a position is kept over a restart', async () => {
    const { events } = open('position');
    expect(events.position).toBe(0);
    await events.keepPosition(77);
    expect((await reopened('position')).events.position).toBe(77);
  });

  test('events are found by each subject, whatever case it was told in', async () => {
    const { events } = open('subjects');
    await events.append(told({ subjects: ['0xAA', 'agent:1'] }));
    await events.append(told({ subjects: ['0xbb'] }));
    await events.append(told({ subjects: ['0xaa', '0xAA'] }));
    expect(events.about('0xaa', 0, 10).map(({ seq }) => seq)).toEqual([0, 2]);
    expect(events.about('0xaa', 1, 10).map(({ seq }) => seq)).toEqual([2]);
    expect(events.about('0xaa', 0, 1).map(({ seq }) => seq)).toEqual([0]);
    expect(events.readLatestBySubject('0xaa', 10).map(({ seq }) => seq)).toEqual([2, 0]);
    expect(events.readLatestBySubject('0xaa', 1).map(({ seq }) => seq)).toEqual([2]);
    expect(events.readLatestBySubject('0xa', 10)).toEqual([]);
    expect(events.about('agent:1', 0, 10).map(({ seq }) => seq)).toEqual([0]);
    expect(events.about('0xa', 0, 10)).toEqual([]);
    expect(events.read(2, 1)[0]?.subjects).toEqual(['0xaa']);
  });

  test('a watcher is called once the event can be read, until it ends', async () => {
    const { events } = open('watched');
    const sizes: number[] = [];
    const end = events.watch(() => sizes.push(events.read(0, 10).length));
    await events.append(told());
    await events.append(told());
    end();
    await events.append(told());
    expect(sizes).toEqual([1, 2]);
  });
});

describe('faults and sizes of the feed', () => {
  test('events that failed leave no gap behind: the feed goes on where the disk ends', async () => {
    const { events } = open('gaps');
    await events.append(told());
    const commit = vi.spyOn(Environment.prototype, 'commit');
    commit.mockImplementation(() => Promise.reject(new Error('the disk is full')));
    const lost = await Promise.allSettled([told(), told()].map((each) => events.append(each)));
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    commit.mockRestore();
    expect(events.size).toBe(1);
    const next = await Promise.all([events.append(told()), events.append(told())]);
    expect(next.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('an event that is too large, or has an unfit name, is refused and takes no number', async () => {
    const { events } = open('unfit');
    const unfit = [
      told({ data: { text: 'x'.repeat(9_000) } }),
      told({ ref: '' }),
      told({ subjects: ['x'.repeat(257)] }),
      told({ subjects: Array.from({ length: 9 }, (_, n) => `0x${n}`) }),
    ];
    for (const each of unfit) {
      await expect(events.append(each)).rejects.toMatchObject({ code: 'INVARIANT' });
    }
    expect((await events.append(told())).seq).toBe(0);
  });

  test('an event of a settlement takes less than 1.5 KB of the file', async () => {
    const store = open('measured');
    const wallet = (n: number) => `0x${String(n).padStart(40, '0')}`;
    const rows = 2_000;
    await Promise.all(
      Array.from({ length: rows }, (_, n) =>
        store.events.append(
          told({
            key: `pay_${String(n).padStart(64, '0')}:settled`,
            type: 'settlement.settled',
            ref: `set_${String(n).padStart(64, '0')}`,
            subjects: [wallet(n % 100)],
            data: {
              price: '10000',
              fee_bps: 2_000,
              fee: '2000',
              network: 'eip155:31337',
              tool: 'reputation_lookup',
              transaction: `0x${String(n).padStart(64, '0')}`,
            },
          }),
        ),
      ),
    );
    const bytes = store.sizes().reduce((sum, family) => sum + family.bytes, 0);
    expect(bytes / rows).toBeLessThan(1_500);
    expect(bytes / rows).toBeGreaterThan(500);
  });
});

describe('small tables of the trust store', () => {
  test('a row is put, read, listed in order and removed, over a restart', async () => {
    interface Row {
      readonly hash: string;
    }
    const nonces = open('tables').table<[string, number], Row>('wallet-nonces');
    await nonces.put(['0xa', 2], { hash: 'two' });
    await nonces.put(['0xa', 1], { hash: 'one' });
    await nonces.put(['0xb', 1], { hash: 'other' });
    const again = (await reopened('tables')).table<[string, number], Row>('wallet-nonces');
    expect(again.get(['0xa', 2])).toEqual({ hash: 'two' });
    expect(again.get(['0xa', 3])).toBeUndefined();
    expect(again.count()).toBe(3);
    const listed = again.list({ start: ['0xa', 0], end: ['0xb', 0], limit: 10 });
    expect(listed.map(({ row }) => row.hash)).toEqual(['one', 'two']);
    await again.remove([
      ['0xa', 1],
      ['0xz', 9],
    ]);
    expect(again.list({ limit: 1 }).map(({ row }) => row.hash)).toEqual(['two']);
  });

  test('tables change together, or not at all', async () => {
    const store = open('together');
    const nonces = store.table<string, number>('wallet-nonces');
    const due = store.table<[number, string], true>('wallet-nonces-due');
    await store.environment.commit([nonces.change('n', 1), due.change([5, 'n'], true)]);
    expect([nonces.get('n'), due.get([5, 'n'])]).toEqual([1, true]);
    await store.environment.commit([nonces.change('n'), due.change([5, 'n'])]);
    expect([nonces.count(), due.count()]).toEqual([0, 0]);
  });
});
