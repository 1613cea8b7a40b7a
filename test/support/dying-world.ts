import { expect } from 'vitest';
import type { Effect, EffectContext } from '../../src/runtime/engine/types.ts';
import type { Attempt } from '../adversary/search.ts';
import { counter, worker } from './actors.ts';
import { EngineWorld, type WorldOptions } from './engine-world.ts';
import { faultyStore } from './faulty-store.ts';
import { lmdbShelf } from './shelf.ts';

/** Deaths after which an effect is not run again, see docs/decisions/durable-engine.md. */
const DEATHS_MAX = 3;
const COUNTERS = 3;
const MS_MAX = 30_000;
const TELLS_MAX = 12;
/** How a life of the process ends when no effect ends it before. */
const ENDS = ['kill', 'before a commit', 'after a commit', 'broken disk', 'close'] as const;
const REFUSALS = ['STORE_FULL', 'STORE_FAILED', 'ENGINE_CLOSED', 'ACTOR_UNKNOWN'];

/** What one effect does: it takes some time, and ends its process or fails at first. */
interface Plan {
  readonly ms: number;
  readonly isKiller: boolean;
  readonly failures: number;
}

/**
 * Lives of a process on a real store, one after another, that end as an attempt says. It keeps
 * books of what was acknowledged, and of the runs that the end of a process cut short.
 */
export class DyingWorld {
  readonly #attempt: Attempt;
  readonly #world = new EngineWorld(lmdbShelf());
  readonly #plans = new Map<string, Plan>();
  /** Killed by nobody but one killer: then nobody else may be blamed. */
  readonly #isAlone: boolean;
  readonly #made = new Set<string>();
  readonly #promised = new Map<string, Map<number, number>>();
  readonly #sent = new Set<number>();
  readonly #unforeseen: unknown[] = [];
  readonly #working = new Set<string>();
  readonly #cutShort = new Map<string, number>();
  #life = 0;
  #deaths = 0;
  /** Its end is in the books. */
  #isEnded = true;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
    this.#isAlone = attempt.random() < 0.4;
    const count = attempt.integer(1, 2 + Math.ceil(attempt.size / 6));
    for (let n = 0; n < count; n += 1) {
      const isKiller = this.#isAlone ? n === 0 : attempt.random() < 0.3;
      const failures = isKiller ? 0 : attempt.pick([0, 0, 1, 2]);
      this.#plans.set(`w/${n}`, { ms: attempt.integer(0, MS_MAX), isKiller, failures });
    }
  }

  /** Some lives, with callers, each with an end of its own. */
  async live(): Promise<void> {
    const lives = this.#isAlone
      ? 1
      : this.#attempt.integer(1, 3 + Math.ceil(this.#attempt.size / 12));
    for (let life = 0; life < lives; life += 1) await this.#liveOnce();
  }

  /** Further lives without callers, until nothing ends the process any more. */
  async settle(): Promise<void> {
    const livesMax = DEATHS_MAX * this.#plans.size + 2;
    for (let life = 0; life < livesMax; life += 1) {
      await this.#start();
      await this.#createAll();
      // Suspects may take a minute each, one after another.
      await this.#world.clock.advance((this.#plans.size + 4) * 60_000);
      if (!this.#isEnded) return;
    }
    throw new Error(`effects go on to end the process after ${livesMax} lives`);
  }

  async expectKept(): Promise<void> {
    expect(this.#unforeseen, 'refusals').toEqual([]);
    for (const [id, marks] of this.#promised) {
      const rows = await this.#world.journal(id);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_row, at) => at + 1));
      for (const [seq, n] of marks)
        expect(rows[seq - 1]?.event, `${id} ${seq}`).toMatchObject({ n });
      const told = rows.flatMap(({ event }) => (event.type === 'ADD' ? [Number(event['n'])] : []));
      expect(told.filter((n) => !this.#sent.has(n))).toEqual([]);
      expect(new Set(told).size).toBe(told.length);
    }
    for (const id of this.#made) expect((await this.#world.engine.view(id)).seq).toBeGreaterThan(0);
  }

  async expectKillersEnded(): Promise<void> {
    const { engine } = this.#world;
    const refused: string[] = [];
    for (const [id, { isKiller }] of this.#plans) {
      const { value, context } = await engine.view(id);
      const cut = this.#cutShort.get(id) ?? 0;
      expect(cut, `${id} was cut short`).toBeLessThanOrEqual(DEATHS_MAX);
      const mayFail = isKiller || (!this.#isAlone && this.#deaths >= DEATHS_MAX);
      expect(value, id).toBe(isKiller || (mayFail && value === 'failed') ? 'failed' : 'finished');
      if (value !== 'failed') continue;
      expect(context).toMatchObject({ said: { code: 'EFFECT_CRASHED' } });
      refused.push(id);
    }
    const { rows } = await engine.deadLetters();
    expect(rows.map(({ actorId }) => actorId).toSorted()).toEqual(refused.toSorted());
    const noticed = this.#world.notices.filter(({ kind }) => kind === 'effect_crashed');
    // The process may die between the letter and the word of it.
    expect(noticed.length).toBeLessThanOrEqual(refused.length);
    for (const { actorId } of noticed) expect(refused).toContain(actorId);
  }

  async end(): Promise<void> {
    await this.#world.end();
  }

  async #liveOnce(): Promise<void> {
    const end = this.#isAlone ? 'killer' : this.#attempt.pick(ENDS);
    const commits = this.#attempt.integer(0, 4 + this.#attempt.size);
    let left = end === 'broken disk' ? commits : Number.POSITIVE_INFINITY;
    let isFull = false;
    const fails = (): boolean => left-- <= 0;
    const hasRoom = (): boolean => !isFull;
    await this.#start({ wrapStore: (store) => faultyStore(store, { fails, hasRoom }) });
    if (end === 'before a commit') this.#world.crashBeforeNextCommit(commits);
    if (end === 'after a commit') this.#world.crashAfterNextCommit(commits);
    await this.#createAll();
    for (let step = this.#attempt.integer(1, 6); step > 0; step -= 1) {
      isFull = !this.#isAlone && this.#attempt.random() < 0.1;
      await this.#tell();
      await this.#world.clock.advance(this.#attempt.integer(0, 10_000));
    }
    if (end === 'close' && !this.#world.isOver) await this.#close();
    else if (end !== 'killer') this.#die();
  }

  async #start(options: WorldOptions = {}): Promise<void> {
    // A killer that was left alone has its end now.
    if (!this.#isEnded) this.#die();
    this.#life += 1;
    this.#isEnded = false;
    const life = this.#life;
    const work: Effect<{ readonly n: number }> = {
      attempts: 20,
      run: (_input, context) => this.#work(context, life),
    };
    await this.#world.start([worker(work), counter], options);
  }

  async #work({ actorId, attempt }: EffectContext, life: number): Promise<unknown> {
    const { ms, isKiller, failures } = this.#plans.get(actorId) as Plan;
    this.#working.add(actorId);
    await new Promise<void>((resolve) => {
      this.#world.clock.at(this.#world.clock.now() + ms, resolve);
    });
    // An effect of a process that is gone does nothing.
    const isGone = this.#isEnded || this.#world.isOver || this.#life !== life;
    if (isKiller && !isGone) this.#die();
    if (isKiller || isGone) return await new Promise(() => undefined);
    this.#working.delete(actorId);
    if (attempt <= failures) throw new Error('not now');
    return 'done';
  }

  #die(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#deaths += 1;
    this.#world.crash();
    for (const id of this.#working) this.#cutShort.set(id, (this.#cutShort.get(id) ?? 0) + 1);
    this.#working.clear();
  }

  async #close(): Promise<void> {
    this.#working.clear();
    this.#isEnded = true;
    await Promise.race([this.#world.engine.close(), this.#world.rest()]);
  }

  async #createAll(): Promise<void> {
    for (const id of this.#plans.keys()) {
      this.#note(this.#world.engine.create('worker', id), () => this.#made.add(id));
    }
    await this.#world.rest();
  }

  async #tell(): Promise<void> {
    const { engine } = this.#world;
    const most = Math.min(TELLS_MAX, this.#attempt.size);
    for (let left = this.#attempt.integer(1, most); left > 0; left -= 1) {
      const id = `c/${this.#attempt.integer(1, COUNTERS)}`;
      const n = this.#sent.size + 1;
      this.#sent.add(n);
      this.#note(engine.create('counter', id), () => this.#made.add(id));
      this.#note(engine.tell(id, { type: 'ADD', n }), ({ seq }) => {
        this.#promised.set(id, (this.#promised.get(id) ?? new Map()).set(seq, n));
      });
    }
    await this.#world.rest();
  }

  /** Notes an acknowledgement; a process that is gone gives none, and a refusal has a code. */
  #note<T>(call: Promise<T>, note: (answer: T) => void): void {
    call.then(note, (refusal: { readonly code?: string }) => {
      const isGone = this.#isEnded || this.#world.isOver;
      if (!isGone && !REFUSALS.includes(refusal.code ?? '')) this.#unforeseen.push(refusal);
    });
  }
}
