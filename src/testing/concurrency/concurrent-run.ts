import { AppError } from '../../domain/common/error.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { ConcurrentDriver, ConcurrentFault } from './concurrent-driver.ts';
import type { History, Operation } from './history.ts';
import { Scheduler } from './scheduler.ts';
import type { PlannedOperation, Script } from './scripts.ts';

/** Inputs of one run. */
export interface RunInputs {
  readonly script: Script;
  readonly actors: readonly string[];
  readonly input: unknown;
  readonly faults: readonly ConcurrentFault[];
  readonly timeoutMs: number;
  readonly chance: SeededRandom;
}

/** What one run did. */
export interface RunRecord {
  readonly history: History;
  readonly faults: number;
}

/** Maximum number of faults of a run. */
const FAULTS_MAX = 3;
/** One in this many decisions is a fault, if one is possible. */
const FAULT_INTERVAL = 8;

/** Runs a script once and returns the history. Every decision comes from the seed. */
export async function runScript(driver: ConcurrentDriver, inputs: RunInputs): Promise<RunRecord> {
  const run = new ConcurrentRun(driver, inputs);
  try {
    return await run.play();
  } finally {
    await run.close();
  }
}

/** A call in progress. */
interface OpenCall {
  readonly planned: PlannedOperation;
  readonly invokedAt: number;
  /** Number of the delivery whose answer counts. */
  attempt: number;
}

class ConcurrentRun {
  readonly #driver: ConcurrentDriver;
  readonly #inputs: RunInputs;
  readonly #scheduler: Scheduler;
  readonly #waiting: Map<string, PlannedOperation[]>;
  readonly #open = new Map<string, OpenCall>();
  readonly #history: Operation[] = [];
  #clock = 0;
  #process = 0;
  #faults = 0;
  #failure: { readonly cause: unknown } | undefined;

  constructor(driver: ConcurrentDriver, inputs: RunInputs) {
    this.#driver = driver;
    this.#inputs = inputs;
    this.#scheduler = new Scheduler(inputs.chance);
    this.#waiting = new Map();
    for (const planned of inputs.script) {
      this.#waiting.set(planned.client, [...(this.#waiting.get(planned.client) ?? []), planned]);
    }
  }

  async play(): Promise<RunRecord> {
    const { actors, input, timeoutMs } = this.#inputs;
    const { pause } = this.#scheduler;
    await this.#driver.start({ actors, input, pause });
    this.#scheduler.hold();
    let stall: AbortSignal | undefined;
    for (;;) {
      await this.#scheduler.waitUntilIdle();
      if (this.#failure !== undefined) throw this.#failure.cause;
      const choices = this.#listChoices();
      const isFault = choices.faults.length > 0 && this.#isFaultTime(choices.steps.length);
      const choice = this.#scheduler.chance.pick(isFault ? choices.faults : choices.steps);
      if (choice !== undefined) {
        await choice();
        stall = undefined;
      } else if (this.#open.size === 0) {
        break;
      } else {
        stall ??= AbortSignal.timeout(timeoutMs);
        if (stall.aborted) throw timeoutError(timeoutMs, [...this.#open.values()]);
      }
    }
    this.#scheduler.release();
    for (const actor of actors) await this.#readAtEnd(actor);
    return { history: this.#history, faults: this.#faults };
  }

  async close(): Promise<void> {
    this.#scheduler.release();
    await this.#driver.close();
  }

  #isFaultTime(steps: number): boolean {
    return steps === 0 || this.#scheduler.chance.below(FAULT_INTERVAL) === 0;
  }

  #listChoices(): Choices {
    const steps: Step[] = [];
    for (const [client, list] of this.#waiting) {
      const [planned] = list;
      if (planned === undefined || this.#open.has(client)) continue;
      steps.push(() => this.#invoke(planned));
    }
    for (const { open } of this.#scheduler.gates) steps.push(open);
    const { faults } = this.#inputs;
    const canFail = this.#faults < FAULTS_MAX && this.#open.size > 0 && steps.length > 0;
    if (!canFail) return { steps, faults: [] };
    const calls = [...this.#open.values()];
    const events = calls.filter(({ planned }) => planned.event !== undefined);
    const kill = this.#driver.killAndRestart?.bind(this.#driver);
    return {
      steps,
      faults: [
        ...(faults.includes('lost_reply') ? calls.map((call) => () => this.#lose(call)) : []),
        ...(faults.includes('duplicate') ? events.map((call) => () => this.#repeat(call)) : []),
        ...(faults.includes('kill_restart') && kill ? [() => this.#kill(kill)] : []),
      ],
    };
  }

  #invoke(planned: PlannedOperation): void {
    const { client } = planned;
    this.#waiting.set(client, (this.#waiting.get(client) ?? []).slice(1));
    const call = { planned, invokedAt: this.#tick(), attempt: 0 };
    this.#open.set(client, call);
    this.#deliver(call);
  }

  /** Delivers a call and records the answer, unless another delivery counts by then. */
  #deliver(call: OpenCall): void {
    const { attempt, planned } = call;
    this.#inBackground(async (isCurrent) => {
      await this.#scheduler.pause('deliver');
      const answer = await this.#callDriver(planned);
      if (!isCurrent()) return;
      await this.#scheduler.pause('reply');
      const isExpected = this.#open.get(planned.client) === call && call.attempt === attempt;
      if (isCurrent() && isExpected) this.#end(call, { returnedAt: this.#tick(), answer });
    });
  }

  #callDriver({ id, client, actor, event }: PlannedOperation): Promise<unknown> {
    if (event === undefined) return this.#driver.read({ client, actor });
    return this.#driver.send({ client, actor, event, key: id });
  }

  /** Runs work of the current process. After a kill, what comes of it does not matter. */
  #inBackground(work: (isCurrent: () => boolean) => Promise<void>): void {
    const process = this.#process;
    const isCurrent = (): boolean => this.#process === process;
    work(isCurrent).catch((cause: unknown) => {
      if (isCurrent()) this.#failure ??= { cause };
    });
  }

  #end({ planned, invokedAt }: OpenCall, end: Pick<Operation, 'returnedAt' | 'answer'>): void {
    this.#open.delete(planned.client);
    // A read without an answer says nothing.
    if (planned.event === undefined && end.returnedAt === undefined) return;
    this.#history.push({ ...planned, invokedAt, ...end });
  }

  /** The client repeats the call, or gives up. */
  #lose(call: OpenCall): void {
    this.#faults += 1;
    this.#retryOrGiveUp(call);
  }

  #retryOrGiveUp(call: OpenCall): void {
    const isRetried = call.planned.event === undefined || this.#scheduler.chance.below(3) > 0;
    call.attempt += 1;
    if (isRetried) this.#deliver(call);
    else this.#end(call, {});
  }

  #repeat({ planned }: OpenCall): void {
    this.#faults += 1;
    this.#inBackground(async () => {
      await this.#scheduler.pause('deliver again');
      await this.#callDriver(planned);
    });
  }

  async #kill(kill: () => Promise<void>): Promise<void> {
    this.#faults += 1;
    this.#process += 1;
    this.#scheduler.forget();
    await kill();
    this.#scheduler.hold();
    for (const call of this.#open.values()) this.#retryOrGiveUp(call);
  }

  async #readAtEnd(actor: string): Promise<void> {
    const head = { id: `end-${actor}`, client: 'at the end', actor, invokedAt: this.#tick() };
    const answer = await this.#driver.read({ client: head.client, actor });
    this.#history.push({ ...head, returnedAt: this.#tick(), answer });
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }
}

type Step = () => void | Promise<void>;

interface Choices {
  readonly steps: readonly Step[];
  readonly faults: readonly Step[];
}

function timeoutError(timeoutMs: number, calls: readonly OpenCall[]): AppError {
  const waiting = calls.map(({ planned }) => `${planned.client} ${planned.event?.type ?? 'read'}`);
  return new AppError('PATH_FAILED', {
    message: `no answer within ${timeoutMs} ms (timeoutMs): ${waiting.join(', ')}`,
    data: { bound: 'timeoutMs', limit: timeoutMs },
  });
}
