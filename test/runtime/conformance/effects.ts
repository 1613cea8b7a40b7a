import { expect } from 'vitest';
import type { EffectContext } from '../../../src/runtime/engine/types.ts';
import { LATER } from '../../../src/runtime/engine/types.ts';
import { counter, worker } from '../../support/actors.ts';
import { deferred } from '../../support/deferred.ts';
import type { Claims } from './claims.ts';

/** Effects: run at least once under one token, retried by a policy outside the machine. */
export const effectClaims: Claims = {
  'an effect runs after its commit, and its result is an event': async (world) => {
    const seen: unknown[] = [];
    const work = {
      run: async (input: { readonly n: number }, { actorId, token, attempt }: EffectContext) => {
        seen.push({ input, actorId, token, attempt, committed: world.store.load('w/1')?.effects });
        return { doubled: input.n * 2 };
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1', { n: 21 });
    await world.rest();
    const row = { childId: 'job', src: 'work', input: { n: 21 }, token: 'w/1:1:job' };
    expect(seen).toEqual([
      {
        input: { n: 21 },
        actorId: 'w/1',
        token: 'w/1:1:job',
        attempt: 1,
        committed: [{ ...row, attempt: 1, waiting: false }],
      },
    ]);
    const view = await engine.view('w/1');
    expect(view).toMatchObject({ value: 'finished', context: { said: { doubled: 42 } } });
    expect(view.effects).toEqual([]);
    expect((await world.journal('w/1'))[1]).toMatchObject({
      event: { type: 'xstate.done.actor.job', output: { doubled: 42 }, actorId: 'job' },
      cause: { by: 'effect', token: 'w/1:1:job', attempt: 1 },
    });
  },

  'an effect is run again after a crash, under the same token': async (world) => {
    const tokens: string[] = [];
    const work = {
      run: (_input: unknown, { token, attempt }: EffectContext) => {
        tokens.push(`${token}#${attempt}`);
        return new Promise<unknown>(() => undefined);
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await world.rest();
    world.crash();
    await world.start([worker(work)]);
    await world.rest();
    world.crash();
    const last = await world.start([worker({ run: async () => 'at last' })]);
    await world.rest();
    expect(tokens).toEqual(['w/1:1:job#1', 'w/1:1:job#2']);
    expect(await last.view('w/1')).toMatchObject({
      value: 'finished',
      context: { said: 'at last' },
    });
  },

  'attempts are counted over restarts, and kills of the process use up none': async (world) => {
    let hangs = true;
    let runs = 0;
    const work = {
      attempts: 2,
      backoff: () => 1_000,
      run: async () => {
        runs += 1;
        if (hangs) await new Promise<unknown>(() => undefined);
        throw new Error(`run ${runs}`);
      },
    };
    for (let life = 0; life < 2; life += 1) {
      const engine = await world.start([worker(work)]);
      await engine.create('worker', 'w/1');
      await world.rest();
      world.crash();
    }
    hangs = false;
    const engine = await world.start([worker(work)]);
    await world.rest();
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy' });
    world.crash();
    const last = await world.start([worker(work)]);
    await world.clock.advance(10_000);
    // Two of four runs were killed, and both attempts failed.
    expect(await last.view('w/1')).toMatchObject({
      value: 'failed',
      context: { said: { message: 'run 4' } },
    });
  },

  'who waits is woken when an effect begins to wait for its result': async (world) => {
    const go = deferred<void>();
    const work = {
      run: async () => {
        await go.promise;
        return LATER;
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    const waits = engine.waitFor('w/1', ({ effects }) => effects[0]?.waiting === true, {
      timeoutMs: 1_000,
    });
    expect(engine.stats().waitingCallers).toBe(1);
    await world.rest();
    go.resolve();
    await world.rest();
    expect(engine.stats().waitingCallers).toBe(0);
    expect((await waits).seq).toBe(1);
  },

  'a failing effect is tried again after a pause that grows': async (world) => {
    const at: number[] = [];
    const work = {
      run: async (_input: unknown, { now }: EffectContext) => {
        at.push(now());
        throw Object.assign(new Error('no answer'), { code: 'E_NONE' });
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await world.clock.advance(10_000);
    expect(at.map((time) => time - (at[0] ?? 0))).toEqual([0, 500, 1_500]);
    expect(await engine.view('w/1')).toMatchObject({
      value: 'failed',
      context: { said: { name: 'Error', code: 'E_NONE', message: 'no answer' } },
    });
    expect((await world.journal('w/1'))[1]?.cause).toMatchObject({ by: 'effect', attempt: 3 });
  },

  'the policy of an effect decides on attempts, pauses and what is worth them': async (world) => {
    let runs = 0;
    const work = {
      run: async () => {
        runs += 1;
        throw new TypeError(`run ${runs}`);
      },
      attempts: 5,
      backoff: () => 10,
      isRetryable: () => runs < 4,
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await world.clock.advance(1_000);
    expect(runs).toBe(4);
    expect(await engine.view('w/1')).toMatchObject({
      context: { said: { name: 'TypeError', message: 'run 4' } },
    });
  },

  'an attempt that is over time is aborted, and its late answer counts for nothing': async (
    world,
  ) => {
    const late = deferred<string>();
    const reasons: unknown[] = [];
    const work = {
      run: (_input: unknown, { attempt, signal }: EffectContext) => {
        signal.addEventListener('abort', () => reasons.push((signal.reason as Error).name));
        return attempt === 1 ? late.promise : Promise.resolve('in time');
      },
      timeoutMs: 60_000,
      backoff: () => 5_000,
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await world.clock.advance(60_000);
    expect(reasons).toEqual(['TimeoutError']);
    late.resolve('too late');
    await world.rest();
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy' });
    await world.clock.advance(5_000);
    expect(await engine.view('w/1')).toMatchObject({ context: { said: 'in time' } });
    expect(await world.journal('w/1')).toHaveLength(2);
  },

  'leaving the state aborts its effect, also after a restart': async (world) => {
    const aborted: string[] = [];
    const work = {
      run: (_input: unknown, { token, attempt, signal }: EffectContext) => {
        signal.addEventListener('abort', () => aborted.push(`${token}#${attempt}`));
        return new Promise<unknown>(() => undefined);
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await engine.create('worker', 'w/2');
    await engine.tell('w/1', { type: 'LEAVE' });
    expect(aborted).toEqual(['w/1:1:job#1']);
    world.crash();
    const next = await world.start([worker(work)]);
    await world.rest();
    await next.tell('w/2', { type: 'LEAVE' });
    expect(aborted).toEqual(['w/1:1:job#1', 'w/2:1:job#2']);
    expect((await next.view('w/2')).effects).toEqual([]);
    expect(world.store.actorsWithEffects()).toEqual([]);
    expect(next.stats().runningEffects).toBe(0);
  },

  'a result that comes after its state was entered anew is stale': async (world) => {
    const answers = [deferred<string>(), deferred<string>()];
    const aborted: string[] = [];
    let run = 0;
    const work = {
      run: (_input: unknown, { token, signal }: EffectContext) => {
        signal.addEventListener('abort', () => aborted.push(token));
        run += 1;
        return answers[run - 1]?.promise ?? Promise.reject(new Error('one run too many'));
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await engine.tell('w/1', { type: 'AGAIN' });
    expect((await engine.view('w/1')).effects).toMatchObject([{ token: 'w/1:2:job' }]);
    expect(aborted).toEqual(['w/1:1:job']);
    answers[0]?.resolve('of the first run');
    await world.rest();
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy', context: { said: null } });
    answers[1]?.resolve('of the second run');
    await world.rest();
    expect(await engine.view('w/1')).toMatchObject({
      value: 'finished',
      context: { said: 'of the second run' },
    });
    expect((await world.journal('w/1')).map(({ entry }) => entry)).toEqual([
      'event',
      'event',
      'stale',
      'event',
    ]);
  },

  'an effect can be finished from outside, days and restarts later': async (world) => {
    let runs = 0;
    const work = {
      run: async () => {
        runs += 1;
        return LATER;
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await world.rest();
    expect((await engine.view('w/1')).effects).toMatchObject([{ waiting: true }]);
    world.crash();
    await world.clock.advance(5 * 86_400_000);
    const next = await world.start([worker(work)]);
    await world.rest();
    expect(runs).toBe(1);
    expect(await next.complete('w/1:1:job', { ok: true, output: 'signed' })).toMatchObject({
      seq: 2,
      value: 'finished',
    });
    expect(await next.view('w/1')).toMatchObject({ context: { said: 'signed' } });
    for (const token of ['w/1:1:job', 'w/1:9:job', 'nobody:1:job', 'no token']) {
      await expect(next.complete(token, { ok: true, output: 1 })).rejects.toMatchObject({
        code: 'EFFECT_UNKNOWN',
      });
    }
  },

  'an effect can fail from outside, and ids with colons are found': async (world) => {
    const engine = await world.start([worker({ run: async () => LATER })]);
    await engine.create('worker', 'w:1:2');
    await world.rest();
    const error = { name: 'Refusal', message: 'no' };
    await engine.complete('w:1:2:1:job', { ok: false, error });
    expect(await engine.view('w:1:2')).toMatchObject({ value: 'failed', context: { said: error } });
  },

  'at most so many effects of one key run at once, and the others wait': async (world) => {
    let running = 0;
    let most = 0;
    const order: string[] = [];
    const gates = new Map<string, () => void>();
    const work = {
      limit: { max: 2, key: () => 'vendor' },
      run: async (_input: unknown, { actorId, attempt }: EffectContext) => {
        order.push(`${actorId}#${attempt}`);
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => gates.set(actorId, resolve));
        running -= 1;
        return actorId;
      },
    };
    const engine = await world.start([worker(work)]);
    for (const id of ['w/1', 'w/2', 'w/3', 'w/4']) await engine.create('worker', id);
    await world.rest();
    expect((await engine.view('w/3')).effects).toMatchObject([{ attempt: 0 }]);
    expect(order).toEqual(['w/1#1', 'w/2#1']);
    gates.get('w/1')?.();
    await world.rest();
    expect(order).toEqual(['w/1#1', 'w/2#1', 'w/3#1']);
    for (const id of ['w/2', 'w/3']) gates.get(id)?.();
    await world.rest();
    gates.get('w/4')?.();
    await world.rest();
    expect(most).toBe(2);
    expect((await engine.list({ state: 'finished' })).rows).toHaveLength(4);
  },

  'an effect that pauses between attempts holds no place': async (world) => {
    const order: string[] = [];
    const work = {
      limit: { max: 1, key: () => 'vendor' },
      attempts: 2,
      backoff: () => 60_000,
      run: async (_input: unknown, { actorId, attempt }: EffectContext) => {
        order.push(`${actorId}#${attempt}`);
        if (actorId === 'w/1') throw new Error('not yet');
        return actorId;
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    await engine.create('worker', 'w/2');
    await world.rest();
    expect(order).toEqual(['w/1#1', 'w/2#1']);
    await world.clock.advance(60_000);
    expect(order).toEqual(['w/1#1', 'w/2#1', 'w/1#2']);
    expect(await engine.view('w/1')).toMatchObject({ value: 'failed' });
  },

  'results are taken though outside events are refused': async (world) => {
    const answer = deferred<string>();
    const engine = await world.start([worker({ run: () => answer.promise })], { mailboxMax: 1 });
    await engine.create('worker', 'w/1');
    const first = engine.tell('w/1', { type: 'NOTE' });
    const second = engine.tell('w/1', { type: 'NOTE' });
    answer.resolve('though full');
    await expect(second).rejects.toMatchObject({ code: 'OVERLOADED' });
    await first;
    await world.rest();
    expect(await engine.view('w/1')).toMatchObject({ context: { said: 'though full' } });
  },

  'an effect may tell, and what it shows is kept nowhere': async (world) => {
    const go = deferred<void>();
    const work = {
      run: async (_input: unknown, { tell, show }: EffectContext) => {
        await go.promise;
        show({ type: 'DELTA', text: 'thinking' });
        return await tell('c/1', { type: 'ADD', n: 5 }, { idempotencyKey: 'add' });
      },
    };
    const engine = await world.start([worker(work), counter]);
    await engine.create('counter', 'c/1');
    await engine.create('worker', 'w/1');
    const shown: unknown[] = [];
    const stop = engine.watchShown('w/1', (event) => shown.push(event));
    go.resolve();
    await world.rest();
    stop();
    expect(shown).toEqual([{ type: 'DELTA', text: 'thinking' }]);
    expect(await engine.view('c/1')).toMatchObject({ context: { total: 5 } });
    expect(await engine.view('w/1')).toMatchObject({ context: { said: { seq: 2 } } });
    expect(await world.journal('w/1')).toHaveLength(2);
  },

  'an effect creates and enqueues actors of a kind, repeatedly without harm': async (world) => {
    const work = {
      run: async (_input: unknown, { create, enqueue }: EffectContext) => {
        await create(counter, 'c/1', undefined);
        await create('counter', 'c/1');
        await create('counter', 'c/2');
        return await enqueue('slow', counter, 'c/3', undefined);
      },
    };
    const engine = await world.start([worker(work), counter], { queues: [{ name: 'slow' }] });
    await engine.create('worker', 'w/1');
    await world.rest();
    const { rows } = await engine.list({ kind: 'counter' });
    expect(rows.map(({ id }) => id)).toEqual(['c/1', 'c/2', 'c/3']);
    expect(await engine.view('w/1')).toMatchObject({ context: { said: { state: 'started' } } });
  },

  'an attempt lives as long as it beats, and ends without a heartbeat': async (world) => {
    const beats: (() => void)[] = [];
    const work = {
      attempts: 1,
      timeoutMs: 60_000,
      heartbeatMs: 1_000,
      run: (_input: unknown, { heartbeat }: EffectContext) => {
        beats.push(heartbeat);
        return new Promise<unknown>(() => undefined);
      },
    };
    const engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    for (let beat = 0; beat < 5; beat += 1) {
      await world.clock.advance(900);
      beats[0]?.();
    }
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy' });
    await world.clock.advance(999);
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy' });
    await world.clock.advance(1);
    const message = 'The effect did not send a heartbeat within 1000 ms.';
    expect(await engine.view('w/1')).toMatchObject({
      value: 'failed',
      context: { said: { code: 'EFFECT_TIMEOUT', message } },
    });
  },

  'a retry rule decides per error, as a function or as a table': async (world) => {
    const at: number[] = [];
    const codes = ['BUSY', 'OTHER', 'GONE'];
    const run = async (_input: unknown, { attempt, now }: EffectContext) => {
      at.push(now());
      throw Object.assign(new TypeError('no'), { code: codes[attempt - 1] });
    };
    const table = { BUSY: 10, GONE: false } as const;
    const rules = [table, (_error: unknown, attempt: number) => (attempt < 3 ? attempt : false)];
    const pauses = [
      [10, 1_000],
      [1, 2],
    ];
    for (const [n, retry] of rules.entries()) {
      at.length = 0;
      const engine = await world.start([worker({ run, retry, attempts: 9 })]);
      await engine.create('worker', `w/${n}`);
      await world.clock.advance(600_000);
      expect(at.slice(1).map((time, last) => time - (at[last] ?? 0))).toEqual(pauses[n]);
      expect(await engine.view(`w/${n}`)).toMatchObject({ context: { said: { code: 'GONE' } } });
      world.crash();
    }
  },

  'closing aborts effects, and the attempts that it cuts short do not use up the limit': async (
    world,
  ) => {
    const seen: string[] = [];
    const work = {
      run: (_input: unknown, { token, attempt, signal }: EffectContext) => {
        seen.push(`${token}#${attempt}`);
        return new Promise<unknown>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
      },
    };
    let engine = await world.start([worker(work)]);
    await engine.create('worker', 'w/1');
    // The limit is three; five orderly restarts must not use it up.
    for (let restart = 0; restart < 5; restart += 1) {
      await world.rest();
      await engine.close();
      await world.rest();
      engine = await world.start([worker(work)]);
    }
    await world.rest();
    expect(seen).toEqual([1, 2, 3, 4, 5, 6].map((attempt) => `w/1:1:job#${attempt}`));
    expect(await engine.view('w/1')).toMatchObject({ value: 'busy', seq: 1 });
  },

  'an answer that JSON cannot write is a failure of the effect': async (world) => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      return { n: 1n };
    };
    const engine = await world.start([worker({ run })]);
    await engine.create('worker', 'w/1');
    await world.rest();
    expect(await engine.view('w/1')).toMatchObject({
      value: 'failed',
      context: { said: { name: 'EffectError', code: 'EFFECT_OUTPUT_INVALID' } },
    });
    expect(runs).toBe(1);
  },
};
