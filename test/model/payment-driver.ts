import { expect } from 'vitest';
import { DebateState } from '../../src/domain/debate/result.ts';
import {
  PAYMENT_META,
  type PaymentFlow,
  PaymentRequired,
} from '../../src/domain/payment/payment.ts';
import type { PaymentOrder } from '../../src/domain/payment/payment-record.ts';
import { paymentMachine } from '../../src/machines/payment/payment.ts';
import type { EffectResult, Ev } from '../../src/runtime/engine/types.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from '../../src/testing/driver.ts';
import type { Standing, TestPath, TestStep } from '../../src/testing/path.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { type DroppableCall, droppableCall } from '../support/droppable-call.ts';
import { pureState } from '../support/pure-state.ts';
import { openWire, type WireAnswer, type WireSession } from '../support/wire-session.ts';
import { checkAnswer, checkBooks, nameOf } from './payment-checks.ts';
import { type ModelWorld, modelWorld, standOf } from './world.ts';

/** What is bought in each flow. */
const BOUGHT = {
  authorization: { name: 'ops_link-integrity', arguments: { urls: ['https://example.org/'] } },
  upfront: {
    name: 'deliberation_multi-agent-debate',
    arguments: {
      question: 'Which store should hold the events?',
      options: ['Alpha', 'Bravo'],
      seats_by: 'models',
      max_rounds: 0,
      deadline_s: 600,
      wait_s: 0,
    },
  },
} as const;

/** The chain or the work is under way: the call is open. */
const BUSY = ['challenged', 'verified', 'settling', 'refunding'];
/** A call that is answered too early is so within this time, in milliseconds. */
const OPEN_MS = 5;
/** Jobs are looked for by the clock, so it goes on a little. */
const JOB_LOOK_MS = 1;
/** Between two attempts of an effect the clock goes on. */
const RETRY_TICK_MS = 100;

/**
 * Buys over HTTP what a path is about, and plays chain, worker and clock for it. At every look the
 * caller's answer, the engine and the books must say the same.
 */
export function paymentDriver(path: TestPath, http: HttpEngine, place: MoneyPlace = {}): Driver {
  const run = new PaymentRun(path, http, place);
  return {
    start: () => run.start(),
    send: (event) => run.step(() => run.send(event)),
    elapse: (timer) => run.step(() => run.elapse(timer)),
    settle: (effect, result) => run.step(() => run.settle(effect, result)),
    observe: () => run.observe(),
    faults: {
      kill_restart: () => run.kill(),
      lost_reply: () => run.loseReply(),
      duplicate: () => run.callTwice(),
      delay: () => run.answerLate(),
    },
    close: () => run.close(),
  };
}

/** Where the money of a run is; in memory unless it says so. */
export type MoneyPlace = Pick<Parameters<typeof modelWorld>[0], 'money' | 'startAt'>;

class PaymentRun {
  readonly #path: TestPath;
  readonly #http: HttpEngine;
  readonly #place: MoneyPlace;
  readonly #flow: PaymentFlow;
  #done = 0;
  #world: ModelWorld | undefined;
  #wire: WireSession | undefined;
  #paid: object = {};
  #paymentId = '';
  /** A refund is on the chain that the server does not know of. */
  #isRefundOut = false;
  /** The chain's last word. */
  #how = 'ok';
  #open: DroppableCall<WireAnswer> | undefined;
  #answer: WireAnswer | undefined;

  constructor(path: TestPath, http: HttpEngine, place: MoneyPlace) {
    this.#path = path;
    this.#http = http;
    this.#place = place;
    this.#flow = (path.input as PaymentOrder).flow;
  }

  /** Asks for the price over HTTP, signs, and sends the paid call. */
  async start(): Promise<void> {
    const world = await modelWorld({ ...this.#place, http: this.#http, holds: 'chain' });
    this.#world = world;
    const { clock, payer, engine } = world;
    const wire = await this.#connect();
    const unpaid = await wire.ask('tools/call', BOUGHT[this.#flow]);
    expect(unpaid.status).toBe(402);
    const challenge = PaymentRequired.parse(unpaid.message.result?.['structuredContent']);
    const [offer] = challenge.accepts;
    if (offer === undefined) throw new Error('the challenge offers nothing');
    // With an identifier, as the payment is shown again long after it was settled.
    const info = { required: false, id: 'pay_of_the_model_run' };
    const extensions = { 'payment-identifier': { info } };
    const payment = { ...(await payer.pay(offer, { now: clock.now() })), extensions };
    this.#paid = { ...BOUGHT[this.#flow], _meta: { [PAYMENT_META]: payment } };
    this.#ensureCall();
    const listed = async () => (await engine.list({ kind: 'payment' })).rows;
    await world.until(async () => (await listed()).length === 1);
    this.#paymentId = (await listed())[0]?.id ?? '';
  }

  async step(act: () => Promise<void>): Promise<void> {
    this.#done += 1;
    await act();
  }

  /** The job of an upfront payment, or the inline work of the other flow, comes to an end. */
  async send(event: Ev): Promise<void> {
    const { gates, until, engine } = this.#running;
    if (event.type === 'REFUND.RETRY') {
      await engine.tell(this.#paymentId, event);
      return;
    }
    const isDone = event.type === 'WORK.DONE';
    if (event.type === 'WORK.CANCELLED') {
      await this.#readJob({ cancel: true });
    } else if (this.#flow === 'authorization') {
      await until(() => gates.isHeld('work'));
      gates.open('work', isDone ? 'ok' : 'error');
    } else {
      await until(async () => {
        for (const seat of SEATS) gates.open(seat, isDone ? 'ok:o1' : 'invalid');
        return (await this.#value()) !== 'settled';
      });
    }
  }

  /** The clock reaches the timer; a job that would end before is stopped by the operator. */
  async elapse({ timerId }: DueTimer): Promise<void> {
    const { engine, clock } = this.#running;
    const { timers, value } = await engine.view(this.#paymentId);
    const timer = timers.find((row) => row.timerId === timerId);
    if (timer === undefined) throw new Error(`the payment has no timer ${timerId}`);
    if (value === 'settled') await engine.stop(await this.#jobId());
    await clock.set(timer.due);
  }

  /** Answers every attempt until the machine has heard of it. */
  async settle({ childId }: EndedEffect, result: EffectResult): Promise<void> {
    const { until, gates } = this.#running;
    const type = `xstate.${result.ok ? 'done' : 'error'}.actor.${childId}`;
    const how = this.#howOf(childId, result);
    this.#how = how;
    const before = await this.#heard(type);
    await until(() => gates.isHeld(childId));
    gates.open(childId, how);
    await until(
      async () => {
        if ((await this.#value()) === 'refused') return true;
        if ((await this.#heard(type)) > before) return true;
        gates.open(childId, how);
        return false;
      },
      result.ok ? 0 : RETRY_TICK_MS,
    );
  }

  async observe(): Promise<Observed> {
    const { until, engine } = this.#running;
    const expected = this.#expected;
    const isThere = async () => same(await this.#value(), expected.value);
    await until(isThere).catch(() => undefined);
    if ((await this.#value()) === 'refused') {
      await this.#look('refused');
      return { value: 'refused', status: 'done', timers: [], effects: [] };
    }
    const [created, ...events] = await this.#running.history(this.#paymentId);
    const { input } = created as { readonly input?: unknown };
    const view = await engine.view(this.#paymentId);
    expect(standOf(view)).toEqual(pureState(paymentMachine, input, events));
    if (await isThere()) await this.#look(nameOf(expected.value));
    return {
      value: view.value,
      status: view.status,
      timers: view.timers.map(({ timerId }) => timerId),
      effects: view.effects.map(({ childId }) => childId),
      facets: { lookUps: view.context['lookUps'], flow: view.context['flow'] },
    };
  }

  /** The process is killed; the caller connects to the next one and sends its call again. */
  async kill(): Promise<void> {
    this.#open?.drop();
    this.#open = undefined;
    await this.#running.killAndRestart();
    await this.#connect();
    // A refused payment left nothing behind: the same call would begin anew.
    if (nameOf(this.#expected.value) !== 'refused') this.#ensureCall();
  }

  /** The caller hears nothing of its call, and sends it again. */
  async loseReply(): Promise<void> {
    this.#open?.drop();
    this.#open = undefined;
    this.#answer = undefined;
    this.#ensureCall();
  }

  /** The same call comes a second time, and gets no other answer than the first one. */
  async callTwice(): Promise<void> {
    const first = this.#answer?.message.result;
    if (this.#open !== undefined) {
      // While one is open the other one joins it: the books show that it bought nothing.
      const second = droppableCall((signal) => this.#ask(signal));
      await new Promise((done) => setTimeout(done, OPEN_MS));
      second.drop();
      return;
    }
    this.#ensureCall();
    await this.#hear();
    if (first !== undefined && nameOf(this.#expected.value) !== 'refused') {
      expect(this.#answer?.message.result).toEqual(first);
    }
  }

  /** Chain and worker answer what nobody waits for any more. */
  async answerLate(): Promise<void> {
    const { gates, clock, answerLate } = this.#running;
    const isWorking = nameOf(this.#expected.value) === 'verified';
    if (!isWorking) gates.open('work', 'ok');
    if ((await this.#value()) !== 'refused') await answerLate(this.#paymentId);
    await clock.advance(0);
  }

  async close(): Promise<void> {
    this.#open?.drop();
    await this.#world?.close();
  }

  get #running(): ModelWorld {
    if (this.#world === undefined) throw new Error('the payment has not begun');
    return this.#world;
  }

  get #expected(): Standing {
    const { begin, steps } = this.#path;
    return (steps[this.#done - 1] as TestStep | undefined)?.after ?? begin.after;
  }

  async #connect(): Promise<WireSession> {
    this.#wire = await openWire(`${this.#running.baseUrl}/v1/mcp`);
    return this.#wire;
  }

  #ask(signal: AbortSignal): Promise<WireAnswer> {
    if (this.#wire === undefined) throw new Error('the payment has not begun');
    return this.#wire.ask('tools/call', this.#paid, {}, signal);
  }

  /** Sends the paid call again unless one is open. */
  #ensureCall(): void {
    if (this.#open !== undefined) return;
    this.#answer = undefined;
    const call = droppableCall((signal) => this.#ask(signal));
    this.#open = call;
    void call.answered.then((answer) => {
      if (this.#open !== call) return;
      this.#answer = answer;
      this.#open = undefined;
    });
  }

  /** Looks at the payment as its caller does. */
  async #look(state: string): Promise<void> {
    const { clock, gates } = this.#running;
    const books = await this.#running.books();
    checkBooks(books, state, { flow: this.#flow, isRefundOut: this.#isRefundOut });
    if (BUSY.includes(state)) {
      this.#ensureCall();
      await new Promise((done) => setTimeout(done, OPEN_MS));
      await clock.advance(0);
      expect(this.#answer, 'the call is open').toBeUndefined();
      return;
    }
    if (state !== 'refused') {
      // Work that the payment no longer waits for ends as well.
      gates.open('work', 'ok');
      await this.#hear();
      this.#ensureCall();
    } else if (this.#open === undefined && this.#answer === undefined) {
      return;
    }
    await this.#hear();
    checkAnswer(this.#answer, state, this.#flow);
  }

  /** Waits for the answer; the chain says of a refused payment what it said before. */
  async #hear(): Promise<void> {
    const isRefused = nameOf(this.#expected.value) === 'refused';
    const tick = isRefused ? RETRY_TICK_MS : JOB_LOOK_MS;
    await this.#running.until(() => {
      if (isRefused) this.#running.gates.open('check', this.#how);
      return this.#answer !== undefined;
    }, tick);
  }

  async #readJob(args: object): Promise<DebateState> {
    const named = { job_id: await this.#jobId(), wait_s: 0, ...args };
    const answer = await this.#wire?.ask('tools/call', { name: 'get_result', arguments: named });
    return DebateState.parse(answer?.message.result?.['structuredContent']);
  }

  async #jobId(): Promise<string> {
    const { context } = await this.#running.engine.view(this.#paymentId);
    return String(context['jobId']);
  }

  /** The engine's state value; `refused` once the payment is forgotten. */
  async #value(): Promise<unknown> {
    const { rows } = await this.#running.engine.list({ kind: 'payment' });
    if (rows.length === 0) return 'refused';
    return (await this.#running.engine.view(this.#paymentId)).value;
  }

  async #heard(type: string): Promise<number> {
    if ((await this.#value()) === 'refused') return 0;
    const events = await this.#running.history(this.#paymentId);
    return events.filter((event) => event.type === type).length;
  }

  /** In one word, how the chain answers: what opens its gate. */
  #howOf(childId: string, result: EffectResult): string {
    const word = wordOf(result);
    const isSilent = word === 'unknown' || word === 'error';
    if (!isSilent || (childId !== 'settle' && childId !== 'refund')) return word;
    const isFound = this.#isFoundLater(childId);
    if (childId === 'refund' && isFound) this.#isRefundOut = true;
    if (word === 'unknown') return isFound ? 'late' : 'lost';
    return isFound ? 'late_error' : 'error';
  }

  /** Of a broadcast without an answer: whether the money moved, as the path finds out later. */
  #isFoundLater(childId: string): boolean {
    const finder = childId === 'settle' ? 'lookUp' : 'refund';
    const rest = this.#path.steps.slice(this.#done);
    const again = rest.findIndex((step) => childId === 'settle' && isEndOf(step, 'settle'));
    return (again < 0 ? rest : rest.slice(0, again)).some(
      (step) =>
        step.kind === 'effect_done' &&
        step.childId === finder &&
        (step.output as { readonly state: string }).state === 'settled',
    );
  }
}

function isEndOf(step: TestStep, childId: string): boolean {
  return 'childId' in step && step.childId === childId;
}

const SEATS = ['gpt', 'claude', 'llama', 'qwen', 'mistral'].map((name) => `openai:${name}-m`);

function wordOf(result: EffectResult): string {
  if (!result.ok) return 'error';
  const { state, fault } = result.output as { state?: string; fault?: object | null };
  return state ?? (fault === null ? 'ok' : 'failed');
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
