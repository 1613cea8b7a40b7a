import { expect } from 'vitest';
import type { EffectContext } from '../../../src/runtime/engine/types.ts';
import type { EffectAttempt, EngineObserver } from '../../../src/runtime/view/observer.ts';
import { hold, post, worker } from '../../support/actors.ts';
import type { Claims } from './claims.ts';

const TRACE = '00-11111111111111111111111111111111-2222222222222222-01';
const OTHER = '00-33333333333333333333333333333333-4444444444444444-01';
const never = { run: () => new Promise<unknown>(() => undefined) };

/** Writes down what an observer is told. */
function notes() {
  const told: unknown[] = [];
  let ms = 0;
  const line = ({ actorId, src, attempt, trace }: EffectAttempt) => [actorId, src, attempt, trace];
  const observer: EngineObserver = {
    now: () => {
      ms += 1;
      return ms;
    },
    committed: (took) => told.push(['commit', took > 0]),
    recorded: ({ id, seq, entry }, trace) => told.push(['row', id, seq, entry, trace]),
    timerFired: (lateMs) => told.push(['timer', lateMs]),
    effectBegan: (attempt) => told.push(['began', ...line(attempt)]),
    effectEnded: (attempt, end, took) => told.push(['ended', ...line(attempt), end, took > 0]),
  };
  const of = (what: string) => told.filter((each) => (each as readonly string[])[0] === what);
  return { observer, of };
}

/** Traces and the observer: whose work it is, and what is told of it. */
export const tracingClaims: Claims = {
  'an observer is told of commits, rows, and every attempt of an effect': async (world) => {
    const { observer, of } = notes();
    let runs = 0;
    const work = {
      backoff: () => 10,
      run: async () => {
        runs += 1;
        if (runs === 1) throw Object.assign(new Error('not yet'), { code: 'SLOW' });
        return 'done';
      },
    };
    const engine = await world.start([worker(work)], { observer });
    await engine.create('worker', 'w/1', undefined, { trace: TRACE });
    await world.rest();
    await world.clock.advance(10);
    await world.rest();
    expect(of('row')).toEqual([
      ['row', 'w/1', 1, 'event', TRACE],
      ['row', 'w/1', 2, 'event', TRACE],
    ]);
    expect(of('began')).toEqual([
      ['began', 'w/1', 'work', 1, TRACE],
      ['began', 'w/1', 'work', 2, TRACE],
    ]);
    expect(of('ended')).toEqual([
      ['ended', 'w/1', 'work', 1, TRACE, { outcome: 'failed', error: 'SLOW' }, true],
      ['ended', 'w/1', 'work', 2, TRACE, { outcome: 'done' }, true],
    ]);
    // Two rows, the note that the first attempt ended, and that of the second one's begin.
    expect(of('commit')).toEqual(Array.from({ length: 4 }, () => ['commit', true]));
  },

  'an observer is told how late a timer fires': async (world) => {
    const { observer, of } = notes();
    const engine = await world.start([hold]);
    await engine.create('hold', 'h/1', { holdMs: 1_000 });
    await world.engine.close();
    await world.clock.advance(1_500);
    await world.start([hold], { observer });
    await world.clock.advance(1);
    await world.rest();
    expect(of('timer')).toEqual([['timer', 500]]);
  },

  'an observer that throws is told as a notice, and nothing else changes': async (world) => {
    const { observer } = notes();
    const broken = {
      ...observer,
      recorded: () => {
        throw new TypeError('broken');
      },
    };
    const engine = await world.start([worker({ run: async () => 'fine' })], { observer: broken });
    await engine.create('worker', 'w/1');
    await world.rest();
    expect((await engine.view('w/1')).value).toBe('finished');
    expect(world.notices[0]).toMatchObject({ kind: 'listener_failed' });
  },

  'an effect belongs to its trace after a crash, and so do the rows behind it': async (world) => {
    const first = await world.start([worker(never)]);
    await first.create('worker', 'w/1', undefined, { trace: TRACE });
    await world.rest();
    world.crash();
    const { observer, of } = notes();
    await world.start([worker({ run: async () => 'at last' })], { observer });
    await world.rest();
    expect(of('began')).toEqual([['began', 'w/1', 'work', 2, TRACE]]);
    expect(of('row')).toEqual([['row', 'w/1', 2, 'event', TRACE]]);
  },

  'an effect keeps the trace that began it when another comes along': async (world) => {
    const first = await world.start([hold, post, worker(never)]);
    await first.create('worker', 'w/1', undefined, { trace: TRACE });
    await first.tell('w/1', { type: 'LEAVE' }, { trace: OTHER });
    await first.tell('w/1', { type: 'AGAIN' });
    expect((await first.view('w/1')).effects).toMatchObject([{ trace: OTHER }]);
    world.crash();
    const { observer, of } = notes();
    const next = await world.start([worker(never)], { observer });
    await world.rest();
    expect(of('began')).toEqual([['began', 'w/1', 'work', 2, OTHER]]);
    expect((await next.view('w/1', 1)).effects).toMatchObject([{ trace: TRACE }]);
    expect((await world.journal('w/1')).map(({ trace }) => trace)).toEqual([
      TRACE,
      OTHER,
      undefined,
    ]);
  },

  'a trace goes along with messages, with those of effects, and over a crash': async (world) => {
    const tells = {
      run: async (_input: unknown, { tell }: EffectContext) => {
        await tell('p/2', { type: 'LETTER', n: 9 });
      },
    };
    const engine = await world.start([post, worker(tells)]);
    await engine.create('post', 'p/1');
    await engine.create('post', 'p/2');
    world.crashAfterNextCommit();
    const send = { type: 'SEND', to: 'p/2', n: 7 };
    engine.tell('p/1', send, { trace: TRACE }).catch(() => undefined);
    await world.rest();
    const next = await world.start([post, worker(tells)]);
    await world.rest();
    expect((await world.journal('p/2')).at(-1)).toMatchObject({
      event: { type: 'LETTER', n: 7 },
      trace: TRACE,
    });
    await next.create('worker', 'w/1', undefined, { trace: OTHER });
    await world.rest();
    expect((await world.journal('p/2')).at(-1)).toMatchObject({
      event: { type: 'LETTER', n: 9 },
      trace: OTHER,
    });
  },

  'a trace that is no short text is refused': async (world) => {
    const engine = await world.start([post]);
    await expect(engine.create('post', 'p/1', undefined, { trace: '' })).rejects.toMatchObject({
      code: 'EVENT_INVALID',
    });
    await engine.create('post', 'p/1');
    const letter = { type: 'LETTER', n: 1 };
    await expect(engine.tell('p/1', letter, { trace: 'a\nb' })).rejects.toMatchObject({
      code: 'EVENT_INVALID',
    });
    expect((await engine.view('p/1')).seq).toBe(1);
  },
};
