import { createEngine } from '../../src/runtime/engine/engine.ts';
import { EngineError } from '../../src/runtime/engine/error.ts';
import type { Ack, ActorEngine, Definition, Ev } from '../../src/runtime/engine/types.ts';
import type { QueueOptions } from '../../src/runtime/queue/queue-types.ts';
import { Attempts } from './attempts.ts';
import { Chain } from './chain.ts';
import type { Chance } from './chance.ts';
import type { KindName } from './kinds/kinds.ts';
import { definitionsOf } from './kinds/kinds.ts';
import type { Life } from './life.ts';
import { turn } from './life.ts';
import { isSame } from './model-state.ts';
import { Oracle } from './oracle.ts';
import { SimClock } from './sim-clock.ts';
import { SimDisk } from './sim-disk.ts';
import { Faults, Trace } from './trace.ts';

/** Bounds that a seed gives its engine. */
export interface WorldLimits {
  readonly mailboxMax: number;
  readonly snapshotEvery: number;
  readonly passivateAfterMs: number;
  readonly queues: readonly QueueOptions[];
}

/** What a call may come to. */
export interface Expected<T> {
  /** Codes that are a fair answer. */
  readonly codes: readonly string[];
  ok?(answer: T): void;
  /** The call may stay open when its engine closes. */
  readonly isPatient?: boolean;
}

/** Pumps of the disk that a close may need. */
const CLOSE_TURNS_MAX = 3_000;

/** The engine under simulation with everything around it, and who watches over it. */
export class World {
  readonly seed: number;
  readonly trace = new Trace();
  readonly faults = new Faults();
  readonly clock = new SimClock();
  readonly oracle: Oracle;
  readonly disk: SimDisk;
  readonly chain: Chain;
  readonly attempts: Attempts;
  readonly limits: WorldLimits;
  version = 1;
  /** True after a commit failed, until the next start. */
  isFatal = false;
  /** Called at every start with the new engine. */
  readonly onStart: ((engine: ActorEngine) => void)[] = [];
  #life: Life = { n: 0, isOver: true };
  #engine: ActorEngine | undefined;
  #nonces = 0;
  /** Place in the global order where a process was lost last. */
  #lostAt = 0;
  #calls = new Set<Call>();
  #definitions = new Map<number, readonly Definition[]>();

  constructor(seed: number, limits: WorldLimits) {
    this.seed = seed;
    this.limits = limits;
    const { faults, trace, clock } = this;
    this.oracle = new Oracle({ faults, trace }, limits.queues, (kind, version) =>
      this.#machineOf(kind, version),
    );
    this.disk = new SimDisk(
      () => clock.now(),
      (writes, at) => this.oracle.take(writes, at),
    );
    this.chain = new Chain(seed, clock, faults);
    const { oracle } = this;
    this.attempts = new Attempts({
      seed,
      clock,
      oracle,
      faults,
      trace,
      life: () => this.#life,
      told: (id, answer) => this.call(`effect tells ${id}`, answer, { codes: TOLD }),
      someId: (chance) => this.someId(chance),
    });
    this.chain.watchedBy(this.attempts);
    oracle.onRow = ({ id, cause, event }) => {
      const { code } = (event['error'] ?? {}) as { readonly code?: string };
      if (cause.by === 'effect' && code === 'EFFECT_ATTEMPTS') {
        const begunAt = Number(/:(\d+):[^:]*$/.exec(cause.token)?.[1]);
        const begun = oracle.row(id, begunAt)?.entry.globalSeq ?? 0;
        // A lost process uses up the attempts that it had begun, or was about to.
        if (begun > this.#lostAt) this.attempts.checkUsedUp(cause.token, this.#srcOf(cause.token));
      }
    };
  }

  get engine(): ActorEngine {
    if (this.#engine === undefined) throw new Error('the world has no engine yet');
    return this.#engine;
  }

  get life(): Life {
    return this.#life;
  }

  /** Calls of this process that are not answered yet. */
  get open(): readonly string[] {
    return [...this.#calls].map(({ label }) => label);
  }

  /** True when nothing is on its way: what the model says is what the engine has. */
  get isCalm(): boolean {
    const isIdle = this.disk.pending === 0 && this.engine.stats().pendingCommits === 0;
    return isIdle && !this.isFatal && this.disk.mode === 'quick';
  }

  /** Starts a process over what the disk kept. */
  async start(version = this.version): Promise<void> {
    this.version = version;
    this.isFatal = false;
    const life: Life = { n: this.#life.n + 1, isOver: false };
    this.#life = life;
    this.trace.add(`start ${life.n} version ${version}`);
    this.oracle.queues.begin();
    this.#engine = await createEngine({
      ...this.limits,
      store: this.disk.open(life),
      clock: this.clock.of(life),
      definitions: this.#definitionsOf(version),
      onFatal: () => {
        this.isFatal = true;
      },
      onNotice: ({ kind, actorId, message }) => {
        if (!life.isOver) this.trace.add(`notice ${kind} ${actorId}`);
        if (kind === 'trim_failed' || kind === 'listener_failed') this.faults.add(kind, message);
      },
    });
    for (const begin of this.onStart) begin(this.#engine);
  }

  /** The process ends without a word, and perhaps the power goes as well. */
  async crash(chance: Chance): Promise<void> {
    this.trace.add('crash');
    // What the process already knows of it may still do; more it does not get to know.
    this.disk.freeze();
    await turn();
    this.#life.isOver = true;
    this.#calls.clear();
    this.attempts.lost();
    await this.disk.lose(chance);
    this.#lostAt = this.oracle.globalSeq;
  }

  /** The process ends in order: everything that was begun gets an answer. */
  async close(chance: Chance): Promise<void> {
    this.trace.add('close');
    this.disk.hasRoom = true;
    const { engine } = this;
    let isClosed = false;
    const cut = this.attempts.working().map(({ token }) => token);
    this.attempts.end();
    const closing = engine.close().then(() => {
      isClosed = true;
    });
    for (let turns = 0; turns < CLOSE_TURNS_MAX && !isClosed; turns += 1) {
      this.disk.pump(chance);
      await turn();
    }
    this.faults.check(isClosed, 'a close comes to its end', () => engine.stats());
    if (isClosed) await closing;
    await turn();
    const left = [...this.#calls].filter(({ isPatient }) => !isPatient);
    this.faults.check(left.length === 0, 'a close leaves no call open', () => left);
    if (this.isFatal) {
      this.#lostAt = Number.POSITIVE_INFINITY;
      this.oracle.crashes.lost();
    } else {
      this.attempts.spare(cut);
      this.#checkSpared(cut);
    }
    this.#life.isOver = true;
    this.#calls.clear();
    await this.disk.lose(chance);
    if (this.isFatal) this.#lostAt = this.oracle.globalSeq;
  }

  /** Lets things happen: pending promises, and the disk according to its mode. */
  async settle(chance: Chance): Promise<void> {
    await turn();
    if (this.disk.mode === 'quick') this.disk.pumpAll();
    else if (chance.isTrue(0.4)) this.disk.pump(chance);
  }

  /** Lets things happen until nothing is on its way, with the disk at its best. */
  async rest(): Promise<void> {
    this.disk.mode = 'quick';
    let calm = 0;
    for (let turns = 0; turns < 2_000 && calm < 3; turns += 1) {
      this.disk.pumpAll();
      await turn();
      calm = this.disk.pending === 0 ? calm + 1 : 0;
    }
    this.faults.check(calm >= 3, 'things come to rest', () => this.engine.stats());
  }

  /** Notes a call, and judges what comes of it. */
  call<T>(label: string, answer: Promise<T>, expected: Expected<T>): void {
    const life = this.#life;
    const { trace, faults } = this;
    const call: Call = { label, isPatient: expected.isPatient === true };
    this.#calls.add(call);
    answer.then(
      (value) => {
        this.#calls.delete(call);
        if (life.isOver) return;
        trace.add(`${label} = ${JSON.stringify(value) ?? 'nothing'}`);
        expected.ok?.(value);
      },
      (error: unknown) => {
        this.#calls.delete(call);
        if (life.isOver) return;
        const code = error instanceof EngineError ? error.code : String(error);
        trace.add(`${label} ! ${code}`);
        const isFair = expected.codes.includes(code) || (this.isFatal && code === 'STORE_FAILED');
        faults.check(isFair || code === 'ENGINE_CLOSED', 'a refusal has a fair code', () => ({
          label,
          code,
          message: String(error),
          fair: expected.codes,
        }));
      },
    );
  }

  /** An acknowledgement speaks of a row that is safe on the disk, and tells the truth of it. */
  checkAck(id: string, ack: Ack, event?: Ev): void {
    const row = this.oracle.row(id, ack.seq);
    this.faults.check(row !== undefined, 'no acknowledgement before the disk', () => ({ id, ack }));
    if (row === undefined) return;
    const { entry } = row;
    const { seq, value, status } = entry;
    const isTrue = isSame(ack, { seq, value, status });
    this.faults.check(isTrue, 'an acknowledgement is that of its row', () => ({ id, ack, entry }));
    const same = event === undefined || isSame(event, entry.event);
    this.faults.check(same, 'an acknowledgement is of its own event', () => ({ id, event, entry }));
  }

  /** Some id: of an actor that is there, mostly. */
  someId(chance: Chance): string {
    const ids = [...this.oracle.actors.keys()];
    if (ids.length === 0 || chance.isTrue(0.08)) return this.newId(chance);
    return chance.pick(ids);
  }

  /** The id of an actor to come; few enough that ids meet again. */
  newId(chance: Chance): string {
    return `actor:${chance.below(40)}`;
  }

  /** A text that no other actor is made with. */
  nonce(): string {
    this.#nonces += 1;
    return `nonce/${this.#nonces}`;
  }

  /** The kind of an actor that is there. */
  kindOf(id: string): KindName | undefined {
    return this.oracle.actors.get(id)?.kind as KindName | undefined;
  }

  #srcOf(token: string): string {
    const rows = [...this.oracle.actors.values()].flatMap(({ shelf }) => [
      ...shelf.effects.values(),
    ]);
    return rows.find((row) => row.token === token)?.src ?? '';
  }

  #checkSpared(cut: readonly string[]): void {
    for (const actor of this.oracle.actors.values()) {
      for (const row of actor.shelf.effects.values()) {
        if (!cut.includes(row.token)) continue;
        const wanted = this.attempts.sparedOf(row.token);
        const isSpared = (row.spared ?? 0) >= wanted;
        const claim = 'an orderly close uses up no attempt';
        this.faults.check(isSpared, claim, () => ({ row, wanted }));
      }
    }
  }

  #definitionsOf(version: number): readonly Definition[] {
    const known = this.#definitions.get(version);
    if (known !== undefined) return known;
    const made = definitionsOf(
      version,
      (src, input, context) => this.attempts.run(src, input, context),
      this.chain,
    );
    this.#definitions.set(version, made);
    return made;
  }

  #machineOf(kind: string, version: number) {
    const definition = this.#definitionsOf(version).find((each) => each.kind === kind);
    if (definition === undefined) throw new Error(`no kind ${kind}`);
    return definition.machine;
  }
}

const TOLD = [
  ...['ACTOR_UNKNOWN', 'ACTOR_CLOSED', 'ACTOR_STUCK', 'EVENT_POISON', 'STORE_FULL'],
  ...['MIGRATION_MISSING'],
];

interface Call {
  readonly label: string;
  readonly isPatient: boolean;
}
