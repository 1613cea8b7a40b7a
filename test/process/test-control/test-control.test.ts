import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../../../src/config.ts';
import type { EgressPort } from '../../../src/domain/net/egress.ts';
import { FaultInjection } from '../../../src/process/test-control/fault-injection.ts';
import { openTestClock } from '../../../src/process/test-control/test-control-clock.ts';
import {
  readTestFaults,
  writeTestFaults,
} from '../../../src/process/test-control/test-control-data.ts';
import { TestPrices } from '../../../src/process/test-control/test-control-prices.ts';
import { openTestControlSocket } from '../../../src/process/test-control/test-control-socket.ts';
import { memoryStore } from '../../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../../src/runtime/timer/clock.ts';
import { Gates } from '../../model/gates.ts';
import { gatedModels } from '../../model/outside.ts';
import { controlClient } from '../../support/control-client.ts';
import { deferred } from '../../support/deferred.ts';
import { createMemoryPrices } from '../../support/memory-prices.ts';
import { tempDir } from '../../support/temp-dir.ts';

const dirs: ReturnType<typeof tempDir>[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) dir.remove();
});
function freshDir(): string {
  const dir = tempDir();
  dirs.push(dir);
  return dir.path;
}

const plain = async (): Promise<void> => undefined;

/** Egress that counts what it fetched. */
function countingEgress() {
  const seen: string[] = [];
  const egress: EgressPort = {
    fetch: async ({ url }) => {
      seen.push(url);
      return {
        status: 200,
        headers: {},
        body: new Uint8Array(),
        redirects: [],
        ms: 1,
        finalUrl: url,
      };
    },
  };
  return { seen, egress };
}
const request = { url: 'https://example.org/', method: 'GET' } as const;

test.each([
  [['--test-control', '--host', '0.0.0.0'], {}, /--host is "0.0.0.0".*127\.0\.0\.1/],
  [['--test-control'], { STOA_PUBLIC_URL: 'https://stoa.example' }, /STOA_PUBLIC_URL.*unset/],
  [['--test-control'], { STOA_TRUSTED_PROXIES: '10.0.0.1' }, /STOA_TRUSTED_PROXIES.*unset/],
  [
    ['--test-control'],
    { STOA_RPC_URL: 'http://127.0.0.1:1', STOA_TOKEN_ADDRESS: `0x${'1'.repeat(40)}` },
    /STOA_RPC_URL.*unset/,
  ],
  [['--test-clock', '2031-01-01T00:00:00Z'], {}, /--test-clock.*omitted/],
  [['--test-control', '--test-clock', 'noon'], {}, /--test-clock is "noon".*1970/],
  [['--test-real-kinds'], {}, /--test-real-kinds.*omitted/],
])('flags %j with %j are refused by name', (flags, env, words) => {
  expect(() => parseConfig(flags, env)).toThrow(words);
});

test('without the flag nothing of a test server is configured', () => {
  expect(parseConfig([], {})).not.toHaveProperty('testControl');
  const flags = ['--test-control', '--test-clock', '2031-01-01T00:00:00Z'];
  expect(parseConfig(flags, {}).testControl).toEqual({
    beginAt: Date.UTC(2031, 0, 1),
    hasRealKinds: false,
  });
});

test('a fault meets as many calls as it is for, and no more', async () => {
  const borders = new FaultInjection();
  const { seen, egress } = countingEgress();
  const broken = borders.egress(egress);
  borders.arm({ name: 'failed_call', where: 'egress', count: 1, ms: 0 });
  borders.arm({ name: 'lost_reply', where: 'egress', count: 1, ms: 0 });
  await expect(broken.fetch(request)).rejects.toThrow('was not executed');
  expect(seen).toHaveLength(0);
  await expect(broken.fetch(request)).rejects.toThrow('the reply was lost');
  expect(seen).toHaveLength(1);
  expect(await broken.fetch(request)).toMatchObject({ status: 200 });
  expect(borders.armed).toEqual([]);
});

test('a delayed call begins when the clock has moved on', async () => {
  const clock = new SimulatedClock(0);
  const borders = new FaultInjection();
  borders.setClock(clock);
  const { seen, egress } = countingEgress();
  borders.arm({ name: 'delayed_call', where: 'egress', count: 1, ms: 1_000 });
  const fetched = borders.egress(egress).fetch(request);
  await clock.advance(999);
  expect([seen.length, borders.underWay]).toEqual([0, 0]);
  await clock.advance(1);
  await fetched;
  expect(seen).toHaveLength(1);
});

test('a held call of a model goes on as it is released, and counts as under way only then', async () => {
  const borders = new FaultInjection();
  const gates = new Gates();
  const llm = borders.llm(gatedModels(gates));
  const ask = () => llm.complete({ modelId: 'm', schema: { name: 'vote' } } as never);
  borders.arm({ name: 'held_call', where: 'llm', count: 2, ms: 0 });
  const [first, second] = [ask(), ask()];
  await Promise.resolve();
  expect([borders.held, borders.underWay]).toEqual([['llm', 'llm'], 0]);
  expect(borders.release('llm', 'failed_call')).toBe(true);
  expect(await first).toMatchObject({ ok: false, failure: 'provider_error' });
  expect(borders.release('llm', 'lost_reply')).toBe(true);
  await expect.poll(() => gates.isHeld('m')).toBe(true);
  expect(borders.underWay).toBe(1);
  gates.open('m', 'ok:o1:7');
  expect(await second).toMatchObject({ ok: false, failure: 'timeout', costMicroUsd: '7' });
  expect(borders.release('llm', 'go')).toBe(false);
});

/** A kind whose work counts how often it was begun. */
function working(borders: FaultInjection) {
  let begun = 0;
  const run = async (): Promise<number> => {
    begun += 1;
    return begun;
  };
  const [definition] = borders.definitions([
    {
      kind: 'k',
      version: 1,
      machine: {} as never,
      effects: { work: { run } },
      children: {},
      migrations: [],
    },
  ]);
  const begin = async (actorId: string, signal = new AbortController().signal): Promise<unknown> =>
    definition?.effects['work']?.run({} as never, { actorId, signal } as never);
  return { begin, begun: () => begun };
}

test('the work of one actor is held before it begins, and that of others is not', async () => {
  const borders = new FaultInjection();
  const { begin, begun } = working(borders);
  borders.arm({ name: 'held_call', where: 'effect', count: 9, ms: 0, about: 'job_1' });
  expect(await begin('job_2')).toBe(1);
  const held = begin('job_1');
  const lost = begin('job_1');
  await Promise.resolve();
  expect([borders.heldAbout, begun()]).toEqual([['job_1.work', 'job_1.work'], 1]);
  expect(borders.release('effect', 'go', 'job_3')).toBe(false);
  expect(borders.release('effect', 'go', 'job_1')).toBe(true);
  expect(await held).toBe(2);
  borders.release('effect', 'lost_reply', 'job_1');
  await expect(lost).rejects.toThrow('the reply was lost');
  expect(begun()).toBe(3);
});

test('held work that is stopped does not begin, and is held no more', async () => {
  const borders = new FaultInjection();
  const { begin, begun } = working(borders);
  borders.arm({ name: 'held_call', where: 'effect', count: 9, ms: 0 });
  const stop = new AbortController();
  const held = begin('job_1', stop.signal);
  await Promise.resolve();
  stop.abort();
  await expect(held).rejects.toThrow('was not executed');
  expect([borders.heldAbout, begun()]).toEqual([[], 0]);
});

test('a fault that is kept is armed in the next process, until all are taken back', async () => {
  const dataDir = freshDir();
  const open = () =>
    new FaultInjection(readTestFaults(dataDir), (kept) => writeTestFaults(dataDir, kept));
  const first = open();
  const fault = { name: 'held_call', where: 'effect', count: 9, ms: 0, about: 'job_1' } as const;
  first.arm({ ...fault, kept: true });
  first.arm({ ...fault, about: 'job_2', kept: false });
  const second = open();
  expect(second.armed).toEqual([{ ...fault, kept: true }]);
  second.clear();
  expect(open().armed).toEqual([]);
  writeFileSync(join(dataDir, 'test-faults.json'), '[{"name":"held_call"}]');
  expect(open).toThrow(/test-faults\.json.*damaged/);
});

test('a told price stands before the source, and a silent venue does not answer', async () => {
  const told = new TestPrices();
  const source = told.wrap(createMemoryPrices());
  const order = { pair: 'BTC/USD', venue: 'kraken' } as const;
  await expect(source.price(order)).rejects.toThrow('no price');
  told.set(order, { value: '90', asOf: 5 });
  expect(await source.price(order)).toMatchObject({ value: '90', asOf: 5, sources: ['kraken'] });
  told.set(order, null);
  await expect(source.price(order)).rejects.toMatchObject({ code: 'EGRESS_TIMEOUT' });
});

test('one commit fails when it is asked to, and the next one does not', async () => {
  const borders = new FaultInjection();
  const store = borders.store(memoryStore());
  borders.failNextCommit();
  await expect(store.commit([])).rejects.toThrow('the commit failed');
  await store.commit([]);
});

test('a clock is kept before anything is due, and never goes back', async () => {
  const dataDir = freshDir();
  const clock = openTestClock({ dataDir, beginAt: 1_000, rest: plain });
  const seen: number[] = [];
  // A process that dies here must find the time to which it was moving.
  clock.at(1_500, () => seen.push(openTestClock({ dataDir, beginAt: 0, rest: plain }).now()));
  await clock.moveTo(2_000);
  expect([seen, clock.now()]).toEqual([[2_000], 2_000]);
  await expect(clock.moveTo(1_999)).rejects.toThrow('cannot go back');
});

test('a clock runs by itself as fast as it is told, until it is told to stand', async () => {
  const clock = openTestClock({ dataDir: freshDir(), beginAt: 0, rest: plain });
  clock.run(1_000);
  await expect.poll(() => clock.now(), { timeout: 5_000 }).toBeGreaterThan(10_000);
  clock.run(0);
  await new Promise((done) => setTimeout(done, 20));
  const stood = clock.now();
  await new Promise((done) => setTimeout(done, 120));
  expect(clock.now()).toBe(stood);
});

test('lines of all clients are answered one after the other', async () => {
  const dataDir = freshDir();
  let open = 0;
  const close = await openTestControlSocket(dataDir, async (line) => {
    open += 1;
    await new Promise((done) => setTimeout(done, 5));
    const together = open;
    open -= 1;
    return `${line} ${together}`;
  });
  const [one, other] = [await controlClient(dataDir), await controlClient(dataDir)];
  const answers = await Promise.all([one.raw('a'), other.raw('b'), one.raw('c')]);
  expect(answers).toEqual(['a 1', 'b 1', 'c 1']);
  one.close();
  other.close();
  await close();
});

test('a client too many, and a client with too much at once, are turned away by name', async () => {
  const dataDir = freshDir();
  const held = deferred<void>();
  const close = await openTestControlSocket(dataDir, async (line) => {
    if (line === 'held') await held.promise;
    return 'answered';
  });
  const clients = [];
  for (let count = 0; count < 16; count += 1) {
    clients.push(await controlClient(dataDir));
    expect(await clients[count]?.raw('there?')).toBe('answered');
  }
  const socket = connect(join(dataDir, 'test-control.sock'));
  const refusal = await new Promise<string>((done) =>
    socket.once('data', (data) => done(data.toString())),
  );
  expect(JSON.parse(refusal)).toMatchObject({ ok: false, error: { code: 'OVERLOADED' } });
  const flood = clients[0];
  const [first] = Array.from({ length: 1_001 }, () => flood?.raw('held'));
  expect(await first).toContain('OVERLOADED');
  held.resolve();
  expect(await clients[1]?.raw('there?')).toBe('answered');
  for (const client of clients) client.close();
  await close();
});

test('a data directory with a path that no socket can have is refused', async () => {
  const dataDir = join(freshDir(), 'x'.repeat(100));
  await expect(openTestControlSocket(dataDir, async (line) => line)).rejects.toThrow(
    /CONFIG_INVALID|shorter data directory/,
  );
});
