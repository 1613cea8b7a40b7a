import type { OutboxRow } from '../../src/runtime/engine/ports.ts';
import type { EffectRow } from '../../src/runtime/engine/types.ts';
import { Chance } from './chance.ts';
import { Followers } from './followers.ts';
import { turn } from './life.ts';
import type { OperationName, Stage } from './operations.ts';
import { OPERATIONS } from './operations.ts';
import { drainQueues } from './queue-end.ts';
import { someQueues } from './queue-kit.ts';
import type { SimFault } from './trace.ts';
import { checkBooks, checkStore, checkView } from './views.ts';
import { World } from './world.ts';

/** What a run is asked to do. */
export interface Run {
  readonly seed: number;
  /** Numbers of the steps; each one is decided by the seed and its own number. */
  readonly steps: readonly number[];
}

/** How a run went. */
export interface Outcome {
  readonly digest: string;
  readonly steps: number;
  /** Journal rows that were safe at the end. */
  readonly rows: number;
  readonly fault?: SimFault;
  /** The step at which the fault showed; the number of steps when it was the end. */
  readonly at: number;
  readonly lines: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Steps between two comparisons of everything. */
const CHECK_EVERY = 64;
/** Moves of the clock that the end of a run may need until nothing is due any more. */
const LAST_MOVES_MAX = 400;
/** Waits that one step of the clock runs at most. */
const WAITS_MAX = 40;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const STEPS = {
  create: 6,
  tell: 40,
  burst: 3,
  keyed: 5,
  repeat: 4,
  expect: 4,
  ask: 3,
  view: 5,
  travel: 4,
  list: 1,
  stop: 1.5,
  purge: 1.5,
  fork: 1,
  complete: 6,
  retry: 2,
  letters: 0.5,
  follow: 2,
  unfollow: 0.5,
  flood: 0.006,
  enqueue: 9,
  enqueueMany: 1.5,
  dequeue: 3,
  queued: 0.7,
  finish: 5,
  schedule: 1,
  unschedule: 0.7,
  schedules: 0.3,
  wait: 14,
  sleep: 4,
  leap: 2,
  slow: 3,
  quick: 4,
  full: 0.7,
  room: 2,
  rest: 3,
  crash: 0.8,
  close: 0.5,
  breakDown: 0.3,
  upgrade: 0.15,
} as const;

type StepName = keyof typeof STEPS;

/** Runs one seed. Equal seeds and steps give equal digests. */
export async function simulate({ seed, steps }: Run): Promise<Outcome> {
  const simulation = new Simulation(seed);
  let done = 0;
  try {
    await simulation.begin();
    for (const step of steps) {
      await simulation.step(step);
      if (simulation.world.faults.first !== undefined) break;
      done += 1;
    }
    if (simulation.world.faults.first === undefined) await simulation.end();
  } catch (error) {
    simulation.world.faults.add('a run goes through', stackOf(error));
  }
  return simulation.outcome(done);
}

class Simulation {
  readonly world: World;
  readonly #stage: Stage;
  readonly #weights: Readonly<Record<StepName, number>>;
  readonly #counts: Record<string, number> = {};
  #taken = 0;

  constructor(seed: number) {
    const chance = new Chance(seed, 'world');
    this.world = new World(seed, {
      mailboxMax: chance.pick([4, 16, 1_024]),
      snapshotEvery: chance.pick([1, 2, 5, 16]),
      passivateAfterMs: chance.pick([1, 2_000, 5 * MINUTE_MS]),
      queues: someQueues(chance),
    });
    this.#stage = { world: this.world, followers: new Followers(this.world), keyed: [] };
    // Each seed leaves some things out and does others more often: so rare meetings come about.
    const weights: Record<string, number> = {};
    for (const [name, weight] of Object.entries(STEPS)) {
      weights[name] = weight * chance.pick([0.2, 1, 1, 1, 3]);
    }
    if (chance.isTrue(0.3)) weights['slow'] = 0;
    if (chance.isTrue(0.3)) weights['upgrade'] = 0;
    if (chance.isTrue(0.5)) weights['schedule'] = 0;
    this.#weights = weights as Record<StepName, number>;
  }

  async begin(): Promise<void> {
    await this.world.start();
    const chance = new Chance(this.world.seed, 'begin');
    for (let n = 0; n < 6; n += 1) this.#operate('create', chance);
    await this.world.settle(chance);
  }

  async step(n: number): Promise<void> {
    const { world } = this;
    const chance = new Chance(world.seed, 'step', n);
    const name = chance.weighted(this.#weights);
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    world.trace.add(`step ${n} ${name} at ${world.clock.now()}`);
    await this.#do(name, chance);
    const turns = chance.pick([0, 0, 1, 1, 1, 2]);
    for (let each = 0; each < turns; each += 1) await world.settle(chance);
    if (world.isFatal && chance.isTrue(0.3)) await this.#reopen('crash', chance);
    this.#taken += 1;
    if (this.#taken % CHECK_EVERY === 0) await this.#check();
  }

  /** Lets everything come to its end, then looks at what is left. */
  async end(): Promise<void> {
    const { world } = this;
    const chance = new Chance(world.seed, 'end');
    if (world.isFatal || world.disk.isBroken) await this.#reopen('crash', chance);
    world.disk.hasRoom = true;
    await this.#check();
    await drainQueues(world, chance);
    await this.#runOut(chance);
    await this.#check();
    this.#checkNothingHangs();
    await this.#reopen(chance.isTrue(0.5) ? 'close' : 'crash', chance);
    await world.rest();
    for (const id of [...world.oracle.actors.keys()]) checkView(world, await world.engine.view(id));
    await this.#check();
    await world.close(chance);
  }

  outcome(at: number): Outcome {
    const { trace, faults, oracle } = this.world;
    const { first } = faults;
    return {
      digest: trace.digest(),
      steps: at,
      rows: oracle.globalSeq,
      ...(first === undefined ? {} : { fault: first }),
      at,
      lines: trace.lines(),
      counts: { ...this.#counts, ...oracle.queues.counts, ...oracle.schedules.counts },
    };
  }

  async #do(name: StepName, chance: Chance): Promise<void> {
    if (isOperation(name)) {
      this.#operate(name, chance);
      if (name === 'flood') await this.#drown(chance);
      return;
    }
    const { world } = this;
    const { clock, disk } = world;
    const moving = { chance, settle: () => world.settle(chance) };
    switch (name) {
      case 'wait':
        return await this.#walk(chance.between(1, 3_000), chance);
      case 'sleep':
        return await this.#walk(chance.between(1, 20 * MINUTE_MS), chance);
      case 'leap':
        return await clock.leap(
          clock.now() + chance.pick([MINUTE_MS, DAY_MS, 50 * DAY_MS]),
          moving,
        );
      case 'slow':
      case 'quick':
        disk.mode = name === 'slow' ? 'held' : 'quick';
        return;
      case 'full':
      case 'room':
        disk.hasRoom = name === 'room';
        return;
      case 'rest':
        return await world.rest();
      case 'breakDown':
        return disk.breakDown();
      case 'crash':
      case 'close':
        return await this.#reopen(name, chance);
      case 'upgrade':
        return await this.#upgrade(chance);
    }
  }

  /** The process is lost while more messages are on their way than a start reads in one go. */
  async #drown(chance: Chance): Promise<void> {
    this.world.disk.mode = 'held';
    for (let turns = 0; turns < 4; turns += 1) {
      this.world.disk.pumpAll();
      await turn();
    }
    await this.#reopen('crash', chance);
  }

  async #walk(ms: number, chance: Chance): Promise<void> {
    const { clock } = this.world;
    const settle = () => this.world.settle(chance);
    await clock.walk(clock.now() + ms, { chance, settle, most: WAITS_MAX });
  }

  #operate(name: OperationName, chance: Chance): void {
    OPERATIONS[name](this.#stage, chance);
  }

  async #reopen(how: 'crash' | 'close', chance: Chance): Promise<void> {
    const { world } = this;
    if (how === 'crash' || world.isFatal) await world.crash(chance);
    else await world.close(chance);
    checkStore(world);
    await world.start();
  }

  /** The next version of the program takes over, as the guide says: load, close, start. */
  async #upgrade(chance: Chance): Promise<void> {
    const { world } = this;
    if (world.version > 1 || world.isFatal || world.disk.isBroken) return;
    await world.rest();
    for (const id of [...world.oracle.actors.keys()]) await world.engine.view(id);
    await world.close(chance);
    await world.start(2);
  }

  async #check(): Promise<void> {
    const { world } = this;
    if (world.isFatal) return;
    await world.rest();
    // Those who catch up read some hundred rows a turn.
    for (let turns = 0; turns < world.oracle.globalSeq / 256; turns += 1) await turn();
    checkStore(world);
    checkBooks(world);
    this.#stage.followers.check();
  }

  /** Moves the clock until no timer and no attempt is left. */
  async #runOut(chance: Chance): Promise<void> {
    const { world } = this;
    const { clock, engine } = world;
    const moving = { chance, settle: () => world.settle(chance) };
    for (let moves = 0; moves < LAST_MOVES_MAX; moves += 1) {
      await world.rest();
      const nextDue = this.#nextDue();
      const isWorking = this.#effectsLeft().length > 0 || this.#messagesLeft().length > 0;
      if (nextDue === undefined && !isWorking) break;
      const soon = clock.now() + (moves < 60 ? MINUTE_MS : 20 * MINUTE_MS);
      await clock.leap(isWorking ? soon : Math.max(soon, nextDue ?? 0), moving);
      if (world.faults.first !== undefined) return;
    }
    // Whoever still asks has asked for a day at most.
    await clock.leap(clock.now() + 2 * DAY_MS, moving);
    await world.rest();
    if (this.#nextDue() === undefined && this.#effectsLeft().length === 0) return;
    world.faults.add('the work of all actors ends', {
      stats: engine.stats(),
      now: clock.now(),
      due: this.#nextDue(),
      left: [...this.#effectsLeft(), ...this.#messagesLeft()],
    });
  }

  /** When the next timer fires; those of stuck actors wait for a repair. */
  #nextDue(): number | undefined {
    const dues = [...this.world.oracle.actors.values()].flatMap(({ status, shelf }) =>
      status === 'stuck' ? [] : [...shelf.timers.values()].map(({ due }) => due),
    );
    return dues.length === 0 ? undefined : Math.min(...dues);
  }

  /** Effects that run; those of stuck actors wait for a repair, others for a person. */
  #effectsLeft(): readonly EffectRow[] {
    return [...this.world.oracle.actors.values()].flatMap(({ status, shelf }) =>
      status === 'stuck' ? [] : [...shelf.effects.values()].filter(({ waiting }) => !waiting),
    );
  }

  /** Messages on their way; those to stuck actors wait for a repair. */
  #messagesLeft(): readonly OutboxRow[] {
    const { outbox, actors } = this.world.oracle;
    return [...outbox.values()].filter(({ to }) => actors.get(to)?.status !== 'stuck');
  }

  #checkNothingHangs(): void {
    const { world } = this;
    const { oracle, faults, engine } = world;
    const isStuck = (id: string) => oracle.actors.get(id)?.status === 'stuck';
    const held = [...oracle.actors.values()].filter(({ id }) => isStuck(id));
    const rows = held.reduce((sum, { shelf }) => sum + shelf.effects.size, 0);
    const { runningEffects } = engine.stats();
    faults.check(runningEffects <= rows, 'no attempt is left behind', () => runningEffects);
    const messages = this.#messagesLeft();
    faults.check(messages.length === 0, 'no message is left behind', () => messages);
    faults.check(world.open.length === 0, 'no call is left without an answer', () => world.open);
    faults.check(engine.stats().pendingCommits === 0, 'no commit is left behind', () =>
      engine.stats(),
    );
  }
}

function isOperation(name: StepName): name is OperationName {
  return name in OPERATIONS;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
