import fc from 'fast-check';
import { expect } from 'vitest';
import { setup } from 'xstate';
import { define } from '../../../src/runtime/engine/define.ts';
import type { JournalEntry } from '../../../src/runtime/engine/types.ts';
import { counter, hold, nested, post } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import { START } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

/** Views, journals, watchers, lists and time travel. */
export const readingClaims: Claims = {
  'a watcher gets old rows, then new ones, each once and in order': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    for (let n = 0; n < 600; n += 1) engine.tell('c/1', { type: 'ADD', n }).catch(() => undefined);
    await world.rest();
    const seen: number[] = [];
    const stop = engine.watch('c/1', 3, ({ seq }) => seen.push(seq));
    for (let n = 0; n < 20; n += 1) await engine.tell('c/1', { type: 'ADD', n });
    await world.rest();
    stop();
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    expect(seen).toEqual(Array.from({ length: 619 }, (_, n) => n + 3));
  },

  'a watcher resumes by row after a restart, and sees nothing before the disk': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const first: JournalEntry[] = [];
    engine.watch('c/1', 1, (entry) => first.push(entry));
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    await world.rest();
    world.crashBeforeNextCommit();
    engine.tell('c/1', { type: 'ADD', n: 2 }).catch(() => undefined);
    await world.rest();
    expect(first.map(({ seq }) => seq)).toEqual([1, 2]);
    const next = await world.start([counter]);
    const rest: JournalEntry[] = [];
    next.watch('c/1', 2, (entry) => rest.push(entry));
    await next.tell('c/1', { type: 'ADD', n: 3 });
    await world.rest();
    expect(rest.map(({ seq, event }) => [seq, event['n']])).toEqual([
      [2, 1],
      [3, 3],
    ]);
    expect(rest[0]).toEqual(first[1]);
  },

  'a watcher from a later row on gets none before it': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const seen: number[] = [];
    engine.watch('c/1', 4, ({ seq }) => seen.push(seq));
    await world.rest();
    for (let n = 0; n < 4; n += 1) await engine.tell('c/1', { type: 'ADD', n });
    expect(seen).toEqual([4, 5]);
  },

  'the feed gives every row of every actor in one order, over restarts': async (world) => {
    const engine = await world.start([counter]);
    // Calls to several actors at once have no order of their own.
    for (const id of ['a', 'b', 'c']) await engine.create('counter', id);
    await engine.tell('b', { type: 'ADD', n: 1 });
    world.crash();
    const next = await world.start([counter]);
    const seen: string[] = [];
    const stop = next.feed(2, ({ id, globalSeq }) => seen.push(`${globalSeq}:${id}`));
    await next.tell('a', { type: 'ADD', n: 1 });
    await world.rest();
    stop();
    expect(seen).toEqual(['2:b', '3:c', '4:b', '5:a']);
  },

  'a listener that throws harms nobody and is noted': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const seen: number[] = [];
    engine.watch('c/1', 1, () => {
      throw new Error('listener');
    });
    engine.watch('c/1', 1, ({ seq }) => seen.push(seq));
    await engine.tell('c/1', { type: 'ADD', n: 1 });
    await world.rest();
    expect(seen).toEqual([1, 2]);
    expect(world.notices.map(({ kind }) => kind)).toEqual(['listener_failed', 'listener_failed']);
  },

  'a view shows what is on disk, not what is on its way there': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const release = world.holdCommits(1);
    const first = engine.tell('c/1', { type: 'ADD', n: 4 });
    await Promise.resolve();
    const told = engine.tell('c/1', { type: 'ADD', n: 5 });
    expect(await engine.view('c/1')).toMatchObject({ seq: 1, context: { total: 0 } });
    await first;
    expect(await engine.view('c/1')).toMatchObject({ seq: 2, context: { total: 4 } });
    release();
    await told;
    expect(await engine.view('c/1')).toMatchObject({ seq: 3, context: { total: 9 } });
    await expect(engine.view('nobody')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  },

  'a view of an earlier row is what the view was then': async (world) => {
    const engine = await world.start([hold, counter], { snapshotEvery: 5 });
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    const then = [await engine.view('h/1')];
    for (let n = 0; n < 12; n += 1) {
      await world.clock.advance(100);
      await engine.tell('h/1', { type: n % 4 === 3 ? 'PAUSE' : 'AGAIN' });
      await engine.tell('h/1', { type: 'GO' });
      then.push(await engine.view('h/1'));
    }
    world.crash();
    const next = await world.start([hold, counter], { snapshotEvery: 5 });
    for (const view of then) expect(await next.view('h/1', view.seq)).toEqual(view);
    await expect(next.view('h/1', 99)).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    await expect(next.view('h/1', 0)).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
  },

  'a page of the journal starts where it is asked to': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    for (let n = 0; n < 5; n += 1) await engine.tell('c/1', { type: 'ADD', n });
    const seqs: number[] = [];
    for await (const { seq } of engine.journal('c/1', 3, 2)) seqs.push(seq);
    expect(seqs).toEqual([3, 4]);
  },

  'a list can be asked by kind and state, and goes on by cursor': async (world) => {
    const engine = await world.start([counter, hold]);
    for (const n of [1, 2, 3]) await engine.create('counter', `c/${n}`);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    await engine.tell('c/2', { type: 'ADD', n: 1 });
    await engine.tell('c/3', { type: 'CLOSE' });
    const ids = async (query: Parameters<typeof engine.list>[0]) =>
      (await engine.list(query)).rows.map(({ id }) => id);
    expect(await ids({})).toEqual(['c/1', 'c/2', 'c/3', 'h/1']);
    expect(await ids({ kind: 'hold' })).toEqual(['h/1']);
    expect(await ids({ kind: 'counter', state: 'open' })).toEqual(['c/1', 'c/2']);
    const first = await engine.list({ kind: 'counter', limit: 2 });
    expect(first.rows[1]).toEqual({
      id: 'c/2',
      kind: 'counter',
      state: 'open',
      status: 'active',
      seq: 2,
      createdAt: START,
      at: START,
    });
    expect(await ids({ kind: 'counter', limit: 2, cursor: first.cursor ?? '' })).toEqual(['c/3']);
  },

  'actors are found by the regions of a parallel state inside another state': async (world) => {
    const region = { initial: 'off', states: { off: {}, on: {} } };
    const inner = { type: 'parallel', states: { left: region, right: region } } as const;
    const machine = setup({}).createMachine({ initial: 'work', states: { work: inner } });
    const engine = await world.start([define({ kind: 'two', version: 1, machine, effects: {} })]);
    await engine.create('two', 't/1');
    for (const state of ['work', 'work.left', 'work.right', 'work.left.off', 'work.right.off']) {
      const { rows } = await engine.list({ kind: 'two', state });
      expect(
        rows.map((row) => row.state),
        state,
      ).toEqual(['work.left.off,work.right.off']);
    }
    expect((await engine.list({ kind: 'two', state: 'right' })).rows).toEqual([]);
  },

  'actors are found by nested and parallel states, by status and over kinds': async (world) => {
    const engine = await world.start([counter, hold, nested]);
    for (const n of [1, 2, 3]) await engine.create('counter', `c/${n}`);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    for (const n of [1, 2]) await engine.create('nested', `n/${n}`);
    await engine.tell('n/2', { type: 'NEXT' });
    await engine.tell('c/2', { type: 'CLOSE' });
    const ids = async (query: Parameters<typeof engine.list>[0]) =>
      (await engine.list(query)).rows.map(({ id }) => id);
    const check = async () => {
      expect(await ids({ kind: 'nested', state: 'left' })).toEqual(['n/1', 'n/2']);
      expect(await ids({ kind: 'nested', state: 'left.one' })).toEqual(['n/1']);
      expect(await ids({ kind: 'nested', state: 'left.two' })).toEqual(['n/2']);
      expect(await ids({ state: 'left.two.deep' })).toEqual(['n/2']);
      expect(await ids({ kind: 'nested', state: 'lef' })).toEqual([]);
      expect(await ids({ state: 'open' })).toEqual(['c/1', 'c/3']);
      expect(await ids({ kind: 'counter', status: 'active' })).toEqual(['c/1', 'c/3']);
      expect(await ids({ status: 'done' })).toEqual(['c/2']);
      expect(await ids({ status: 'active' })).toEqual(['c/1', 'c/3', 'h/1', 'n/1', 'n/2']);
      expect(await ids({ state: 'open', status: 'done' })).toEqual([]);
      expect(await ids({ kind: 'none', state: 'open' })).toEqual([]);
      const first = await engine.list({ status: 'active', limit: 3 });
      expect(await ids({ status: 'active', cursor: first.cursor ?? '' })).toEqual(['n/1', 'n/2']);
    };
    await check();
    world.crash();
    await world.start([counter, hold, nested]);
    await world.engine.purge('c/2');
    await world.engine.create('counter', 'c/2', { total: 1 });
    expect(await world.engine.list({ status: 'done' })).toEqual({ rows: [] });
    expect((await world.engine.list({ kind: 'counter', state: 'open' })).rows).toHaveLength(3);
  },

  'a walk by cursor meets each actor once, though others come and change': async (world) => {
    const engine = await world.start([counter]);
    const name = (n: number) => `c/${String(n).padStart(3, '0')}`;
    for (let n = 0; n < 120; n += 2) await engine.create('counter', name(n));
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let turn = 0; turn < 40; turn += 1) {
      const query = { kind: 'counter', state: 'open', limit: 5 };
      const page = await engine.list(cursor === undefined ? query : { ...query, cursor });
      seen.push(...page.rows.map(({ id }) => id));
      if (page.cursor === undefined) break;
      cursor = page.cursor;
      // One that was seen ends, and one more comes, behind the cursor or before it.
      await engine.tell(seen[turn] ?? '', { type: 'CLOSE' });
      await engine.create('counter', name(2 * turn + 1));
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual([...seen].sort());
    const even = Array.from({ length: 60 }, (_, n) => name(2 * n));
    expect(seen.filter((id) => Number(id.slice(2)) % 2 === 0)).toEqual(even);
  },

  'asking waits for the view that fits, and no longer than allowed': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'c/1');
    const total = (least: number) => (view: { context: Readonly<Record<string, unknown>> }) =>
      Number(view.context['total']) >= least;
    const asked = engine.ask('c/1', { type: 'ADD', n: 1 }, total(3), { timeoutMs: 1_000 });
    const waits = engine.waitFor('c/1', total(3), { timeoutMs: 1_000 });
    await engine.tell('c/1', { type: 'ADD', n: 2 });
    expect(await asked).toMatchObject({ context: { total: 3 } });
    expect(await waits).toMatchObject({ context: { total: 3 } });
    const never = engine.waitFor('c/1', total(9), { timeoutMs: 1_000 });
    const over = expect(never).rejects.toMatchObject({ code: 'ASK_TIMEOUT' });
    await world.clock.advance(1_000);
    await over;
    const abort = new AbortController();
    const aborted = engine.waitFor('c/1', total(9), { timeoutMs: 1_000, signal: abort.signal });
    abort.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'ASK_TIMEOUT', data: { aborted: true } });
    const hopeless = engine.waitFor('c/1', total(9), { timeoutMs: 1_000 });
    await engine.tell('c/1', { type: 'CLOSE' });
    await expect(hopeless).rejects.toMatchObject({ code: 'ACTOR_CLOSED' });
  },

  'a wait may begin before its actor is created': async (world) => {
    const engine = await world.start([counter]);
    const total = (least: number) => (view: { context: Readonly<Record<string, unknown>> }) =>
      Number(view.context['total']) >= least;
    const options = { timeoutMs: 1_000, untilCreated: true };
    const coming = engine.waitFor('c/1', total(0), options);
    const filled = engine.waitFor('c/1', total(2), options);
    await engine.create('counter', 'c/1');
    expect(await coming).toMatchObject({ id: 'c/1', seq: 1, context: { total: 0 } });
    await engine.tell('c/1', { type: 'ADD', n: 2 });
    expect(await filled).toMatchObject({ context: { total: 2 } });
    expect(await engine.waitFor('c/1', total(2), options)).toMatchObject({ id: 'c/1' });
    const never = expect(engine.waitFor('c/2', total(0), options)).rejects.toMatchObject({
      code: 'ASK_TIMEOUT',
    });
    await world.clock.advance(1_000);
    await never;
    await expect(engine.waitFor('c/2', total(0), { timeoutMs: 1_000 })).rejects.toMatchObject({
      code: 'ACTOR_UNKNOWN',
    });
  },

  'a replay of the journal gives the state that lives': async (world) => {
    const engine = await world.start([counter, hold, post], { snapshotEvery: 4 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
        run += 1;
        await replaysAlike(world, `r/${run}`, steps);
      }),
      { numRuns: 25 },
    );
    expect(engine.stats().pendingCommits).toBe(0);
  },
};

const step = fc.oneof(
  fc.record({ type: fc.constantFrom('AGAIN', 'PAUSE', 'GO', 'UNHEARD'), waitMs: fc.nat(1_500) }),
  fc.record({ type: fc.constant('NOTE'), text: fc.string({ unit: 'binary' }), waitMs: fc.nat(9) }),
);

async function replaysAlike(
  world: EngineWorld,
  id: string,
  steps: readonly { readonly type: string; readonly waitMs: number }[],
): Promise<void> {
  const { engine } = world;
  await engine.create('hold', id, { holdMs: 1_000 });
  for (const { waitMs, ...event } of steps) {
    await world.clock.advance(waitMs);
    await engine.tell(id, event);
  }
  await world.rest();
  const live = await engine.view(id);
  const rows = await world.journal(id);
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => at + 1));
  expect(await engine.view(id, live.seq)).toEqual(live);
}
