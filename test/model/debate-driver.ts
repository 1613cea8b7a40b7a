import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { parseUsd } from '../../src/domain/common/money.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import type { PanelInput, Turn } from '../../src/domain/panel/records.ts';
import { PAYMENT_META, PaymentRequired } from '../../src/domain/payment/payment.ts';
import type { PanelContext } from '../../src/machines/panel/panel-context.ts';
import type { EffectResult, Ev, View } from '../../src/runtime/engine/types.ts';
import type { Driver, DueTimer, EndedEffect, Observed } from '../../src/testing/driver.ts';
import type { Standing, TestPath, TestStep } from '../../src/testing/path.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { debateMachine } from '../support/debate-machine.ts';
import { type DroppableCall, droppableCall } from '../support/droppable-call.ts';
import { pureState } from '../support/pure-state.ts';
import { type ModelWorld, modelWorld, standOf } from './world.ts';

const DEBATE = {
  name: 'deliberation_multi-agent-debate',
  arguments: {
    question: 'Which store should hold the events?',
    options: ['Alpha', 'Bravo'],
    seats_by: 'models',
    deadline_s: 100,
    wait_s: 300,
  },
};
const PRICE = 2_000_000n;
/** A job is looked for by the clock, so it goes on a little. */
const LOOK_TICK_MS = 1;
/** Between two attempts of an effect the clock goes on. */
const RETRY_TICK_MS = 100;
/** Attempts of an effect in one process; each kill gives one more. */
const ATTEMPTS = { seal: 5, turn: 3 } as const;
/** An answer that does not fit is mended once, if there is time. */
const INVALID_ANSWERS = 2;

/**
 * Buys a debate over HTTP with a stock MCP client, and plays models, disk and clock for it. The
 * paid call stays open until the end, where books and answer must agree.
 */
export function debateDriver(path: TestPath, http: HttpEngine): Driver {
  const run = new DebateRun(path, http);
  return {
    start: () => run.start(),
    send: (event) => run.step(() => run.send(event)),
    elapse: (timer) => run.step(() => run.elapse(timer)),
    settle: (effect, result) => run.step(() => run.settle(effect, result)),
    observe: () => run.observe(),
    faults: {
      kill_restart: () => run.kill(),
      lost_reply: (step) => run.again(step),
      duplicate: (step) => run.again(step),
      delay: () => run.answerLate(),
    },
    close: () => run.close(),
  };
}

class DebateRun {
  readonly #path: TestPath;
  readonly #http: HttpEngine;
  #done = 0;
  #kills = 0;
  #isGone = false;
  #world: ModelWorld | undefined;
  #client: Client | undefined;
  #paid: Parameters<Client['callTool']>[0] = DEBATE;
  #open: DroppableCall<DebateState> | undefined;
  #jobId = '';

  constructor(path: TestPath, http: HttpEngine) {
    this.#path = path;
    this.#http = http;
  }

  async start(): Promise<void> {
    const world = await modelWorld({ http: this.#http, holds: 'seal' });
    this.#world = world;
    await this.#connect();
    const { maxRounds } = this.#path.input as PanelInput;
    const call = { ...DEBATE, arguments: { ...DEBATE.arguments, max_rounds: maxRounds } };
    const unpaid = await this.#running.client.callTool(call);
    const [offer] = PaymentRequired.parse(unpaid.structuredContent).accepts;
    if (offer === undefined) throw new Error('the challenge offers nothing');
    const payment = await world.payer.pay(offer, { now: world.clock.now() });
    this.#paid = { ...call, _meta: { [PAYMENT_META]: payment } };
    this.#call();
    const jobs = async () => (await world.engine.list({ kind: 'debate' })).rows;
    await world.until(async () => (await jobs()).length === 1, LOOK_TICK_MS);
    this.#jobId = (await jobs())[0]?.id ?? '';
  }

  async step(act: () => Promise<void>): Promise<void> {
    this.#done += 1;
    await act();
  }

  async send({ type }: Ev): Promise<void> {
    if (type === 'CANCEL') {
      await this.#read({ cancel: true });
      return;
    }
    this.#isGone = true;
    if (this.#open === undefined) this.#call();
    // The server must know of the call before it can lose it.
    await new Promise((done) => setTimeout(done, CALL_MS));
    this.#open?.drop();
    this.#open = undefined;
    const isDetached = async () => (await this.#context()).detached;
    await this.#running.world.until(isDetached, LOOK_TICK_MS).catch(() => undefined);
  }

  async elapse({ timerId }: DueTimer): Promise<void> {
    const { timers } = await this.#view();
    const timer = timers.find((row) => row.timerId === timerId);
    if (timer === undefined) throw new Error(`the debate has no timer ${timerId}`);
    await this.#running.world.clock.set(timer.due);
  }

  /** Answers every call that one turn, or the sealing, makes. */
  async settle({ childId, src }: EndedEffect, result: EffectResult): Promise<void> {
    const { world } = this.#running;
    const word = turnWord(result);
    const gate = src === 'seal' ? 'seal' : await this.#modelOf(childId);
    const attempts = src === 'seal' ? ATTEMPTS.seal : ATTEMPTS.turn;
    let calls =
      word === 'error' ? attempts + this.#kills : word === 'invalid' ? INVALID_ANSWERS : 1;
    await world.until(
      async () => {
        const { effects } = await this.#view();
        if (!effects.some((row) => row.childId === childId)) return true;
        if (calls > 0 && world.gates.open(gate, word)) calls -= 1;
        return false;
      },
      word === 'error' ? RETRY_TICK_MS : 0,
    );
    const type = `xstate.${result.ok ? 'done' : 'error'}.actor.${childId}`;
    const events = await world.history(this.#jobId);
    expect(events.map((event) => event.type)).toContain(type);
  }

  async observe(): Promise<Observed> {
    const { world } = this.#running;
    const expected = this.#expected;
    const isThere = async () => same((await this.#view()).value, expected.value);
    await world.until(isThere).catch(() => undefined);
    const [created, ...events] = await world.history(this.#jobId);
    const { input } = created as { readonly input?: unknown };
    const view = await this.#view();
    expect(standOf(view)).toEqual(pureState(debateMachine, input, events));
    if (await isThere()) await this.#look(view);
    const { isLate, detached, outcome, cutBy, round, phase } = view.context;
    return {
      value: view.value,
      status: view.status,
      timers: view.timers.map((row) => row.timerId),
      effects: view.effects.map((row) => row.childId),
      facets: { isLate, detached, outcome, cutBy, round, phase },
    };
  }

  /** The process is killed; the caller connects to the next one and sends its call again. */
  async kill(): Promise<void> {
    const { world, client } = this.#running;
    this.#open?.drop();
    this.#open = undefined;
    await world.killAndRestart();
    this.#kills += 1;
    await client.close().catch(() => undefined);
    await this.#connect();
    if (!this.#isGone) this.#call();
  }

  /** What the caller did is done once more; turns cannot end twice. */
  async again(step: TestStep | undefined): Promise<void> {
    if (step?.kind === 'event') await this.send(step.event);
    else await this.answerLate();
  }

  /** Turns and seals that have ended, or were cut off, answer all the same. */
  async answerLate(): Promise<void> {
    const { world } = this.#running;
    await world.answerLate(this.#jobId);
    await world.clock.advance(0);
  }

  async close(): Promise<void> {
    this.#open?.drop();
    await this.#client?.close().catch(() => undefined);
    await this.#world?.close();
  }

  get #running(): { readonly world: ModelWorld; readonly client: Client } {
    if (this.#world === undefined || this.#client === undefined) {
      throw new Error('the debate has not begun');
    }
    return { world: this.#world, client: this.#client };
  }

  get #expected(): Standing {
    const { begin, steps } = this.#path;
    return (steps[this.#done - 1] as TestStep | undefined)?.after ?? begin.after;
  }

  async #connect(): Promise<void> {
    const client = new Client({ name: 'model', version: '1' }, {});
    const url = new URL(`${this.#world?.baseUrl}/v2/`);
    await client.connect(new StreamableHTTPClientTransport(url));
    this.#client = client;
  }

  #call(): void {
    const { client } = this.#running;
    this.#open = droppableCall(async (signal) =>
      stateOf(await client.callTool(this.#paid, { signal })),
    );
  }

  async #read(args: object = {}): Promise<DebateState> {
    const named = { job_id: this.#jobId, wait_s: 0, ...args };
    return stateOf(await this.#running.client.callTool({ name: 'get_result', arguments: named }));
  }

  #view(): Promise<View> {
    return this.#running.world.engine.view(this.#jobId);
  }

  async #context(): Promise<PanelContext> {
    return (await this.#view()).context as unknown as PanelContext;
  }

  async #modelOf(childId: string): Promise<string> {
    const { input } = await this.#context();
    const seat = input.seats.find(({ seatId }) => childId.endsWith(`.${seatId}`));
    if (seat === undefined) throw new Error(`no seat takes ${childId}`);
    return seat.model;
  }

  /** Looks at the debate as its caller does. */
  async #look({ value, status }: View): Promise<void> {
    const context = this.#expected.context as unknown as PanelContext;
    expect(turnsIn(await this.#context())).toEqual(turnsIn(context));
    const seen = await this.#read();
    const isOver = typeof value === 'string' && value !== 'sealing';
    expect(seen).toMatchObject({
      job_id: this.#jobId,
      turns_done: context.turns.length,
      status: isOver ? value : 'working',
      phase: typeof value === 'string' ? value : String(Object.values(value as object)[0]),
      round: context.round,
    });
    if (status === 'done') await this.#lookAtEnd(context);
  }

  /** At the end the payment agrees, the paid call answers, and the books hold what was said. */
  async #lookAtEnd({ tally, outcome }: PanelContext): Promise<void> {
    const { world } = this.#running;
    const paymentOf = async () => (await world.engine.list({ kind: 'payment' })).rows[0];
    await world.until(async () => (await paymentOf())?.status === 'done');
    if (this.#open === undefined) this.#call();
    const state = await this.#open?.answered;
    this.#open = undefined;
    expect(state).toEqual(await this.#read());
    expect(state?.result?.outcome).toBe(outcome);
    const winner = outcome === 'decided' ? (tally?.winner ?? null) : null;
    expect(state?.result?.winner?.option_id ?? null).toBe(winner);
    const refunded = refundFor(await this.#read());
    expect((await paymentOf())?.state).toBe(refunded === 0n ? 'closed' : 'refunded');
    expect(parseUsd(state?.result?.refund?.amount ?? '0')).toBe(refunded);
    expect(world.books()).toEqual({ paid: PRICE, refunded });
  }
}

/** A call that was sent is known to the server within this time, in milliseconds. */
const CALL_MS = 20;

function stateOf({ structuredContent }: { readonly structuredContent?: unknown }): DebateState {
  return DebateState.parse(structuredContent);
}

/**
 * By the words of the challenge: a failure gives all back, a cancel what was not spent. A call that
 * a kill cut off counts as spent up to its ceiling.
 */
function refundFor({ status, cost }: DebateState): bigint {
  if (status === 'decided') return 0n;
  if (status !== 'cancelled') return PRICE;
  return PRICE - parseUsd(cost.spent.amount) - parseUsd(cost.orphaned_up_to.amount);
}

/** In one word, how a turn or the sealing ends: what opens its gate. */
function turnWord(result: EffectResult): string {
  if (!result.ok) return 'error';
  const { position, costMicroUsd } = result.output as Partial<Turn>;
  if (costMicroUsd === undefined) return 'ok';
  return position === undefined ? 'invalid' : `ok:${position}:${costMicroUsd}`;
}

function turnsIn({ turns }: PanelContext): readonly string[] {
  return turns.map(({ turnId, status, position = '-' }) => {
    const [, ...place] = turnId.split('/');
    return `${place.join('.')} ${status} ${position}`;
  });
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
