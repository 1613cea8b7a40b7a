import type { Action } from '../../src/domain/inspect/message.ts';
import type { EffectResult, Ev } from '../../src/runtime/engine/types.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from '../../src/testing/driver.ts';
import type { TestStep } from '../../src/testing/path.ts';
import type { InspectWire } from '../support/inspect-wire.ts';

/** An actor as a host shows it. */
export interface SeenActor {
  readonly value: unknown;
  readonly status: string;
  readonly context: unknown;
  readonly timers: readonly { readonly timerId: string; readonly due: number }[];
  readonly effects: readonly { readonly childId: string; readonly token: string }[];
}

/** A server with development actors: in this process, or a real one of its own. */
export interface DevelopHost {
  /** Connects to `/inspect` of the process that runs now. */
  connect(): Promise<InspectWire>;
  now(): Promise<number>;
  /** Moves the server's clock, and waits until all is at rest. */
  moveTo(at: number): Promise<void>;
  /** Waits until all is at rest. */
  rest(): Promise<void>;
  actor(id: string): Promise<SeenActor>;
  /** Ends a running effect. @returns The code of the refusal, if there was one. */
  settle(token: string, result: EffectResult): Promise<string | undefined>;
  killAndRestart(): Promise<void>;
}

/** Drives a development actor through `/inspect`. Every path is an actor of its own. */
export function developDriver(
  host: DevelopHost,
  { kind, actorId }: { readonly kind: string; readonly actorId: string },
): Driver {
  const run = new DevelopRun(host, actorId);
  return {
    start: (input) => run.act({ name: 'start', kind, actorId, input: input as never }),
    send: (event) => run.send(event),
    elapse: (timer) => run.elapse(timer),
    settle: (effect, result) => run.settle(effect, result),
    observe: () => run.observe(),
    faults: {
      kill_restart: () => run.kill(),
      lost_reply: () => run.loseReply(),
      duplicate: (step) => run.twice(step),
      delay: () => run.answerLate(),
    },
    close: () => run.close(),
  };
}

class DevelopRun {
  readonly #host: DevelopHost;
  readonly #actorId: string;
  readonly #tokens = new Set<string>();
  #wire: InspectWire | undefined;
  #last: Action | undefined;
  #sent = 0;

  constructor(host: DevelopHost, actorId: string) {
    this.#host = host;
    this.#actorId = actorId;
  }

  async send({ type, ...payload }: Ev): Promise<void> {
    this.#sent += 1;
    const idempotencyKey = `event-${this.#sent}`;
    const event = { ...payload, type };
    await this.act({ name: 'send', actorId: this.#actorId, event, idempotencyKey });
  }

  async act(action: Action): Promise<void> {
    this.#last = action;
    await (await this.#open()).act(action);
    await this.#host.rest();
  }

  async elapse({ timerId }: DueTimer): Promise<void> {
    const { timers } = await this.#host.actor(this.#actorId);
    const timer = timers.find((row) => row.timerId === timerId);
    if (timer === undefined) throw new Error(`the actor has no timer ${timerId}`);
    await this.#host.moveTo(timer.due);
  }

  async settle({ childId }: EndedEffect, result: EffectResult): Promise<void> {
    const { effects } = await this.#seen();
    const token = effects.find((row) => row.childId === childId)?.token;
    if (token === undefined) throw new Error(`the actor has no effect ${childId}`);
    const refusal = await this.#host.settle(token, result);
    if (refusal !== undefined) throw new Error(`the end of ${childId} was refused: ${refusal}`);
  }

  async observe(): Promise<Observed> {
    const { value, status, context, timers, effects } = await this.#seen();
    const now = await this.#host.now();
    return {
      value,
      status,
      context,
      timers: timers.map(({ timerId }) => timerId),
      dueInMs: Object.fromEntries(timers.map(({ timerId, due }) => [timerId, due - now])),
      effects: effects.map(({ childId }) => childId),
    };
  }

  async kill(): Promise<void> {
    await this.close();
    await this.#host.killAndRestart();
  }

  /** The answer is never heard: the connection is gone, and the next one asks the same again. */
  async loseReply(): Promise<void> {
    if (this.#last === undefined) return;
    await (await this.#open()).actAndGo(this.#last);
    this.#wire = undefined;
    await this.act(this.#last);
  }

  /** The same action comes once more over another connection; results cannot come twice. */
  async twice(step: TestStep | undefined): Promise<void> {
    if (step?.kind !== 'event') return this.answerLate();
    const other = await this.#host.connect();
    const again = this.#last;
    if (again !== undefined) await Promise.all([other.act(again), this.act(again)]);
    other.close();
    await this.#host.rest();
  }

  /** Effects that have ended, or were left, answer all the same. */
  async answerLate(): Promise<void> {
    const running = new Set((await this.#seen()).effects.map(({ token }) => token));
    for (const token of this.#tokens) {
      if (running.has(token)) continue;
      const refusal = await this.#host.settle(token, { ok: true, output: null });
      if (refusal !== 'EFFECT_UNKNOWN') throw new Error(`a late answer was ${refusal ?? 'taken'}`);
    }
  }

  async close(): Promise<void> {
    this.#wire?.close();
    this.#wire = undefined;
  }

  async #open(): Promise<InspectWire> {
    if (this.#wire?.isOpen() === true) return this.#wire;
    this.#wire = await this.#host.connect();
    return this.#wire;
  }

  async #seen(): Promise<SeenActor> {
    const seen = await this.#host.actor(this.#actorId);
    for (const { token } of seen.effects) this.#tokens.add(token);
    return seen;
  }
}
