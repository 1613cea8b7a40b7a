import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { DebateState } from '../../src/domain/debate/result.ts';
import { microUsd } from '../../src/domain/money.ts';
import { PAYMENT_META, PaymentRequired } from '../../src/domain/payment.ts';
import { debateMachine } from '../../src/machines/debate.ts';
import type { DebateContext } from '../../src/machines/parts/debate-context.ts';
import type { Ev } from '../../src/runtime/types.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { pureState } from '../support/machine-paths.ts';
import { MODEL_DEBATE, turnWord } from './debate-paths.ts';
import { type ModelWorld, modelWorld, standOf } from './world.ts';

/** One paid debate, as its caller and its engine see it. */
interface DebateRun {
  readonly world: ModelWorld;
  readonly jobId: string;
  /** Drops the paid call that is open. */
  leave(): void;
  /** The answer of the paid call, or of the same call again once it was dropped. */
  paidAnswer(): Promise<DebateState>;
  read(args?: object): Promise<DebateState>;
  close(): Promise<void>;
}

const DEBATE = {
  name: 'deliberation_multi-agent-debate',
  arguments: {
    question: 'Which store should hold the events?',
    options: ['Alpha', 'Bravo'],
    seats_by: 'models',
    max_rounds: 1,
    deadline_s: 100,
    wait_s: 300,
  },
};

/** Buys a debate with a stock MCP client; the paid call stays open until the end. */
async function startDebate(http: HttpEngine): Promise<DebateRun> {
  const world = await modelWorld({ http, holds: 'seal' });
  const client = new Client({ name: 'model', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.baseUrl}/v2/`)));
  const unpaid = await client.callTool(DEBATE);
  const [offer] = PaymentRequired.parse(unpaid.structuredContent).accepts;
  if (offer === undefined) throw new Error('the challenge offers nothing');
  const payment = await world.payer.pay(offer, { now: world.clock.now() });
  const paid = { ...DEBATE, _meta: { [PAYMENT_META]: payment } };

  const gone = new AbortController();
  const call = (signal?: AbortSignal) =>
    client.callTool(paid, signal === undefined ? {} : { signal });
  const first = call(gone.signal).catch(() => undefined);
  const jobs = async () => (await world.engine.list({ kind: 'debate' })).rows;
  await world.until(async () => (await jobs()).length === 1, LOOK_TICK_MS);
  return {
    world,
    jobId: (await jobs())[0]?.id ?? '',
    leave: () => gone.abort(),
    paidAnswer: async () =>
      stateOf((await (gone.signal.aborted ? undefined : first)) ?? (await call())),
    read: async (args = {}) => {
      const [job] = await jobs();
      const named = { job_id: job?.id ?? '', wait_s: 0, ...args };
      return stateOf(await client.callTool({ name: 'get_result', arguments: named }));
    },
    close: async () => {
      gone.abort();
      await client.close();
      await world.close();
    },
  };
}

/** A job is looked for by the clock, so it goes on a little. */
const LOOK_TICK_MS = 1;

function stateOf({ structuredContent }: { readonly structuredContent?: unknown }): DebateState {
  return DebateState.parse(structuredContent);
}

/** Makes happen outside what the model calls an event. */
async function makeHappen(run: DebateRun, event: Ev): Promise<void> {
  const { world, jobId } = run;
  const [, kind, ...rest] = event.type.split('.');
  if (event.type === 'CLIENT.GONE') return leave(run);
  if (event.type === 'CANCEL') {
    await run.read({ cancel: true });
  } else if (kind === 'after') {
    const { timers } = await world.engine.view(jobId);
    const timer = timers.find((row) => row.event.type === event.type);
    expect(timer, event.type).toBeDefined();
    await world.clock.set(timer?.due ?? 0);
  } else await endEffect(run, rest.slice(1).join('.'), event);
}

async function leave(run: DebateRun): Promise<void> {
  run.leave();
  await run.world.until(async () => (await contextOf(run)).detached);
}

/** Answers every call that one turn, or the sealing, makes. */
async function endEffect(run: DebateRun, childId: string, event: Ev): Promise<void> {
  const { world, jobId } = run;
  const word = turnWord(event);
  const isSeal = childId === 'seal';
  const gate = isSeal ? 'seal' : await modelOf(run, childId);
  // A turn is tried three times and sealing five times; an answer that does not fit is mended
  // once, if there is time.
  let calls = word === 'error' ? (isSeal ? 5 : 3) : word === 'invalid' ? 2 : 1;
  await world.until(
    async () => {
      const { effects } = await world.engine.view(jobId);
      if (!effects.some((row) => row.childId === childId)) return true;
      if (calls > 0 && world.gates.open(gate, word)) calls -= 1;
      return false;
    },
    word === 'error' ? RETRY_TICK_MS : 0,
  );
  const events = await world.history(jobId);
  expect(events.map(({ type }) => type)).toContain(event.type);
}

const RETRY_TICK_MS = 100;

async function modelOf(run: DebateRun, childId: string): Promise<string> {
  const { input } = await contextOf(run);
  const seat = input.seats.find(({ seatId }) => childId.endsWith(`.${seatId}`));
  if (seat === undefined) throw new Error(`no seat takes ${childId}`);
  return seat.model;
}

async function contextOf({ world, jobId }: DebateRun): Promise<DebateContext> {
  return (await world.engine.view(jobId)).context as unknown as DebateContext;
}

/** Looks at the debate from both sides: caller and engine agree with the model's state. */
async function look(run: DebateRun, model: Record<string, unknown>): Promise<void> {
  const { world, jobId } = run;
  const { value, context } = model as { value: unknown; context: DebateContext };
  await world.until(async () => {
    const view = await world.engine.view(jobId);
    return JSON.stringify(view.value) === JSON.stringify(value);
  });
  const [created, ...events] = await world.history(jobId);
  const { input } = created as { readonly input?: unknown };
  const stand = standOf(await world.engine.view(jobId));
  expect(stand).toEqual(pureState(debateMachine, input, events));
  expect(turnsIn(stand['context'] as DebateContext)).toEqual(turnsIn(context));

  const seen = await run.read();
  expect(seen.job_id).toBe(jobId);
  expect(seen.turns_done).toBe(context.turns.length);
  expect(seen.status).toBe(typeof value === 'string' && value !== 'sealing' ? value : 'working');
  expect(seen.phase).toBe(innermost(value));
  expect(seen.round).toBe(context.round);
  if (model['status'] === 'done') await checkEnd(run, context);
}

function turnsIn({ turns }: DebateContext): readonly string[] {
  return turns.map(({ turnId, status, position = '-' }) => {
    const [, ...place] = turnId.split('/');
    return `${place.join('.')} ${status} ${position}`;
  });
}

function innermost(value: unknown): string {
  return typeof value === 'string' ? value : String(Object.values(value as object)[0]);
}

/** At the end the payment agrees, the paid call answers, and the books hold what was said. */
async function checkEnd(run: DebateRun, { tally, outcome }: DebateContext): Promise<void> {
  const { world } = run;
  const paymentOf = async () => (await world.engine.list({ kind: 'payment' })).rows[0];
  await world.until(async () => (await paymentOf())?.status === 'done');
  const state = await run.paidAnswer();
  expect(state).toEqual(await run.read());
  expect(state.result?.outcome).toBe(outcome);
  expect(state.result?.winner?.option_id ?? null).toBe(
    outcome === 'decided' ? (tally?.winner ?? null) : null,
  );
  const refunded = refundFor(state);
  expect((await paymentOf())?.state).toBe(refunded === 0n ? 'closed' : 'refunded');
  expect(microUsd(state.result?.refund?.amount ?? '0')).toBe(refunded);
  expect(world.books()).toEqual({ paid: PRICE, refunded });
}

const PRICE = 2_000_000n;

/** By the words of the challenge: a cancel gives the unspent part back, a failure all of it. */
function refundFor({ status, cost }: DebateState): bigint {
  if (status === 'decided') return 0n;
  return status === 'cancelled' ? PRICE - microUsd(cost.spent.amount) : PRICE;
}

/** Plays one path and looks at both sides after every step. */
export async function playDebate(http: HttpEngine, events: readonly Ev[]): Promise<void> {
  const run = await startDebate(http);
  try {
    for (const [at, event] of events.entries()) {
      await makeHappen(run, event);
      await look(run, pureState(debateMachine, MODEL_DEBATE, events.slice(0, at + 1)));
    }
  } finally {
    await run.close();
  }
}
