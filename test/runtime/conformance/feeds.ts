import { expect } from 'vitest';
import type { JournalEntry } from '../../../src/runtime/engine/types.ts';
import { counter, hold, post, worker } from '../../support/actors.ts';
import type { EngineWorld } from '../../support/engine-world.ts';
import type { Claims } from './claims.ts';

const ACTORS = 12;
const WAVES = 10;

/** The feed over all actors, and what purges and retries leave of it. */
export const feedClaims: Claims = {
  'the feed has no gap and no double while many write, from wherever it begins': async (world) => {
    const engine = await world.start([counter]);
    const feeds: { readonly from: number; readonly seen: number[] }[] = [];
    const follow = (from: number) => {
      const seen: number[] = [];
      feeds.push({ from, seen });
      return engine.feed(from, ({ globalSeq }) => seen.push(globalSeq));
    };
    follow(0);
    follow(ACTORS * WAVES);
    await writeWaves(world, 'a', (wave) => {
      follow(wave * ACTORS);
      follow(engine.stats().globalSeq);
      follow(engine.stats().globalSeq + 5);
    });
    await world.rest();
    const last = engine.stats().globalSeq;
    for (const { from, seen } of feeds) expect(seen).toEqual(between(Math.max(1, from), last));
    expect(feeds).toHaveLength(2 + 3 * WAVES);
  },

  'a feed goes on over a crash where it stopped, each row once': async (world) => {
    const seen: JournalEntry[] = [];
    for (const life of ['a', 'b', 'c']) {
      const engine = await world.start([counter]);
      const from = (seen.at(-1)?.globalSeq ?? 0) + 1;
      engine.feed(from, (entry) => seen.push(entry));
      await world.rest();
      world.crashBeforeNextCommit(3);
      writeWaves(world, life, () => undefined).catch(() => undefined);
      await world.rest();
      world.crash();
    }
    await world.start([counter]);
    const from = (seen.at(-1)?.globalSeq ?? 0) + 1;
    world.engine.feed(from, (entry) => seen.push(entry));
    await world.rest();
    const stored = world.store.feed(0, 10_000);
    expect(seen).toEqual(stored);
    expect(new Set(seen.map(({ globalSeq }) => globalSeq)).size).toBe(seen.length);
  },

  'a feed that was ended hears nothing more, also in the middle of old rows': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'a');
    for (let n = 0; n < 300; n += 1) engine.tell('a', { type: 'ADD', n }).catch(() => undefined);
    await world.rest();
    const seen: number[] = [];
    const stop = engine.feed(1, ({ globalSeq }) => {
      seen.push(globalSeq);
      if (globalSeq === 7) stop();
    });
    await world.rest();
    await engine.tell('a', { type: 'ADD', n: 1 });
    expect(seen).toEqual(between(1, 7));
  },

  'a purge takes every row of an actor, and those of others stay': async (world) => {
    const engine = await world.start([counter, hold, worker({ run: async () => 'done' })]);
    await engine.create('hold', 'a', { holdMs: 1_000 });
    await engine.create('worker', 'a/1', { n: 1 });
    await engine.create('counter', 'b');
    await engine.tell('a', { type: 'AGAIN' }, { idempotencyKey: 'k' });
    await world.rest();
    for (const id of ['a', 'a/1']) await engine.stop(id);
    const before = world.store.feed(0, 100).length;
    await engine.purge('a');
    expect(world.store.load('a')).toBeUndefined();
    expect(world.store.readJournal('a', 1, 10)).toEqual([]);
    expect(world.store.idempotency('a', 'k')).toBeUndefined();
    expect(world.store.nextDue()).toBeUndefined();
    expect(world.store.feed(0, 100)).toHaveLength(before - 3);
    for (const query of [{}, { kind: 'hold' }, { status: 'stopped' }, { state: 'held' }] as const) {
      expect((await engine.list(query)).rows.map(({ id }) => id)).not.toContain('a');
    }
    expect((await engine.list({})).rows.map(({ id }) => id)).toEqual(['b', 'a/1']);
    expect(await world.journal('a/1')).toHaveLength(3);
    await expect(engine.purge('a')).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    await expect(engine.view('a', 1)).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    const seen: string[] = [];
    engine.feed(0, ({ id }) => seen.push(id));
    await world.rest();
    expect(seen).not.toContain('a');
  },

  'a letter that is retried twice at once is delivered once': async (world) => {
    let isBroken = true;
    const mended = post.machine.provide({
      guards: {
        broken: () => {
          if (isBroken) throw new Error('still broken');
          return true;
        },
      },
    } as never);
    const engine = await world.start([{ ...post, machine: mended }]);
    for (const id of ['p/1', 'p/2']) await engine.create('post', id);
    await engine.tell('p/1', { type: 'FORWARD', to: 'p/2' });
    await world.clock.advance(60_000);
    const letter = (await engine.deadLetters()).rows[0]?.deadLetterId ?? '';
    isBroken = false;
    const [one, two] = await Promise.all([engine.retry(letter), engine.retry(letter)]);
    expect(two).toEqual(one);
    expect(await world.journal('p/2')).toHaveLength(3);
    await expect(engine.retry(letter)).rejects.toMatchObject({
      code: 'DEAD_LETTER_UNKNOWN',
      data: { deadLetterId: letter },
    });
    await expect(engine.retry('')).rejects.toMatchObject({ code: 'DEAD_LETTER_UNKNOWN' });
  },

  'a letter to an actor that was purged stays, and says so': async (world) => {
    const engine = await world.start([counter]);
    await engine.create('counter', 'a');
    await expect(engine.tell('a', { type: 'BREAK' })).rejects.toMatchObject({
      code: 'EVENT_POISON',
    });
    await engine.stop('a');
    const letter = (await engine.deadLetters()).rows[0]?.deadLetterId ?? '';
    await expect(engine.retry(letter)).rejects.toMatchObject({ code: 'ACTOR_CLOSED' });
    await engine.purge('a');
    await expect(engine.retry(letter)).rejects.toMatchObject({ code: 'ACTOR_UNKNOWN' });
    expect((await engine.deadLetters()).rows).toHaveLength(1);
  },
};

/** Writes to many actors at once, in waves that are on disk one after the other. */
async function writeWaves(
  { engine }: EngineWorld,
  life: string,
  between: (wave: number) => void,
): Promise<void> {
  const ids = Array.from({ length: ACTORS }, (_, n) => `${life}/${n}`);
  await Promise.all(ids.map((id) => engine.create('counter', id)));
  for (let wave = 0; wave < WAVES; wave += 1) {
    const told = ids.flatMap((id) => [1, 2, 3, 4].map((n) => engine.tell(id, { type: 'ADD', n })));
    between(wave);
    await Promise.all(told);
  }
}

function between(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
}
