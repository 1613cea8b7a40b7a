import type { EffectContext } from '../../src/runtime/engine/types.ts';
import { LATER } from '../../src/runtime/engine/types.ts';
import { Chance } from './chance.ts';
import { ATTEMPTS, SHARED_MAX } from './kinds/limits.ts';
import type { Life } from './life.ts';
import type { ModelActor } from './model-actor.ts';
import type { Oracle } from './oracle.ts';
import type { SimClock } from './sim-clock.ts';
import type { Faults, Trace } from './trace.ts';

/** What attempts need of the world around them. */
export interface AttemptsAround {
  readonly seed: number;
  readonly clock: SimClock;
  readonly oracle: Oracle;
  readonly faults: Faults;
  readonly trace: Trace;
  life(): Life;
  /** An effect speaks to an actor; what comes of it is judged by the world. */
  told(id: string, answer: Promise<unknown>): void;
  someId(chance: Chance): string;
}

/** Watches over every attempt of every effect, and decides by the seed how each one ends. */
export class Attempts {
  /** Tokens of effects that answered `LATER`. */
  readonly waiting: string[] = [];
  readonly #around: AttemptsAround;
  readonly #working = new Map<string, Work>();
  readonly #history = new Map<string, History>();

  constructor(around: AttemptsAround) {
    this.#around = around;
  }

  /** Attempts that are at work and were not told to stop. */
  working(): readonly Work[] {
    return [...this.#working.values()].filter(({ signal }) => !signal.aborted);
  }

  /** A process was lost with what it had at work. */
  lost(): void {
    const { crashes } = this.#around.oracle;
    crashes.lost();
    for (const { token } of this.working()) crashes.died(this.#history.get(token)?.actor, token);
    this.end();
  }

  /** Forgets what a process had at work. */
  end(): void {
    this.#working.clear();
  }

  /** Notes attempts that an orderly close cut short. */
  spare(tokens: readonly string[]): void {
    for (const token of tokens) {
      const history = this.#history.get(token);
      if (history !== undefined) history.spared += 1;
    }
  }

  /** How often an orderly close cut an effect short. */
  sparedOf(token: string): number {
    return this.#history.get(token)?.spared ?? 0;
  }

  /** Judges an effect that ended because its attempts were used up. */
  checkUsedUp(token: string, src: string): void {
    const { begun = 0, spared = 0 } = this.#history.get(token) ?? {};
    const isFair = begun - spared >= (ATTEMPTS[src] ?? 0);
    const claim = 'attempts are used up by attempts';
    this.#around.faults.check(isFair, claim, () => ({ token, src, begun, spared }));
  }

  /** Runs one attempt as the seed decides. */
  run(src: string, input: { readonly lane: string }, context: EffectContext): Promise<unknown> {
    return this.attempt(src, input, context, () => this.#fate(src, context));
  }

  /** Checks and notes an attempt, then does `work`. */
  async attempt(
    src: string,
    input: unknown,
    context: EffectContext,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const life = this.#around.life();
    const { token, signal } = context;
    const mine: Work = { token, src, lane: laneOf(input), signal };
    this.#begin(mine, input, context);
    const over = (): void => {
      if (this.#working.get(token) === mine) this.#working.delete(token);
    };
    signal.addEventListener('abort', over, { once: true });
    try {
      const answer = await work();
      return life.isOver ? await forever() : answer;
    } catch (error) {
      if (life.isOver) await forever();
      throw error;
    } finally {
      over();
    }
  }

  #begin(mine: Work, input: unknown, context: EffectContext): void {
    const { faults, oracle, trace } = this.#around;
    const { token, src } = mine;
    const { actorId, attempt } = context;
    trace.add(`run ${token} ${attempt}`);
    const row = [...(oracle.actors.get(actorId)?.shelf.effects.values() ?? [])].find(
      (each) => each.token === token,
    );
    const facts = () => ({ token, attempt, row });
    faults.check(row !== undefined, 'an effect runs once its row is safe', facts);
    faults.check(
      row === undefined || row.attempt === attempt,
      'an attempt is noted before it begins',
      facts,
    );
    faults.check(
      row === undefined || JSON.stringify(row.input) === JSON.stringify(input),
      'an effect gets the input of its row',
      facts,
    );
    const most = (ATTEMPTS[src] ?? 0) + (row?.spared ?? 0);
    faults.check(attempt <= most, 'attempts are bounded', facts);
    faults.check(!this.#working.has(token), 'an effect is not at work twice', facts);
    const actor = oracle.actors.get(actorId);
    const known = this.#history.get(token);
    // A purged id may be used again, with tokens that were seen before.
    const history =
      known?.actor === actor && known !== undefined
        ? known
        : { begun: 0, spared: 0, last: 0, actor };
    faults.check(attempt > history.last, 'an attempt has a number of its own', () => ({
      token,
      attempt,
      history,
    }));
    oracle.crashes.begins(actor, token);
    history.last = attempt;
    history.begun += 1;
    this.#history.set(token, history);
    this.#working.set(token, mine);
    if (src === 'shared') this.#checkLane(mine);
  }

  #checkLane({ lane }: Work): void {
    const inLane = this.working().filter((work) => work.src === 'shared' && work.lane === lane);
    const claim = 'no more attempts of a lane run than may';
    // The kinds share the names of lanes, and each has places of its own.
    this.#around.faults.check(inLane.length <= SHARED_MAX * KINDS_WITH_LANES, claim, () => inLane);
  }

  async #fate(src: string, context: EffectContext): Promise<unknown> {
    const { seed, clock } = this.#around;
    const { token, attempt, signal } = context;
    const chance = new Chance(seed, 'attempt', token, attempt, clock.now());
    const person = src === 'person' ? 12 : 1;
    const fate = chance.weighted({
      ok: 8,
      slow: 5,
      fail: 4,
      fatal: 1,
      later: person,
      never: 2,
      deaf: 2,
      tell: 2,
    });
    const output = { n: chance.below(100) };
    switch (fate) {
      case 'ok':
        return output;
      case 'slow':
        await this.#wait(chance.between(1, 15_000), signal);
        return output;
      case 'fail':
        if (chance.isTrue(0.5)) await this.#wait(chance.between(1, 3_000), signal);
        throw new Error('the attempt failed');
      case 'fatal':
        throw Object.assign(new Error('no use in trying'), { code: 'FATAL' });
      case 'later':
        this.waiting.push(token);
        return LATER;
      case 'never':
        return await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      case 'deaf':
        await this.#wait(chance.between(1, 60_000));
        return output;
      case 'tell':
        this.#tell(chance, context);
        return output;
    }
  }

  #tell(chance: Chance, { token, attempt, tell, show }: EffectContext): void {
    const id = this.#around.someId(chance);
    show({ type: 'TOKENS', n: attempt });
    this.#around.told(id, tell(id, { type: 'DO', acts: [] }, { idempotencyKey: token }));
  }

  #wait(ms: number, signal?: AbortSignal): Promise<void> {
    const { clock, life } = this.#around;
    return new Promise((resolve, reject) => {
      const cancel = clock.at(clock.now() + ms, resolve, life());
      signal?.addEventListener(
        'abort',
        () => {
          cancel();
          reject(new Error('aborted'));
        },
        { once: true },
      );
    });
  }
}

/** Kinds whose actors may begin a `shared` effect. */
const KINDS_WITH_LANES = 4;

/** An attempt at work. */
export interface Work {
  readonly token: string;
  readonly src: string;
  readonly lane: string;
  readonly signal: AbortSignal;
}

interface History {
  begun: number;
  spared: number;
  last: number;
  readonly actor: ModelActor | undefined;
}

function laneOf(input: unknown): string {
  return String((input as { lane?: unknown } | undefined)?.lane);
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
