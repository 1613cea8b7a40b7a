import { expect } from 'vitest';
import { DebateState } from '../../src/domain/debate/result.ts';
import {
  PAYMENT_META,
  PAYMENT_RESPONSE_META,
  type PaymentFlow,
  PaymentRequired,
  SettlementResponse,
} from '../../src/domain/payment.ts';
import { paymentMachine } from '../../src/machines/payment.ts';
import type { Ev } from '../../src/runtime/types.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { pureState } from '../support/machine-paths.ts';
import { paymentOrder } from '../support/machine-plans.ts';
import { openWire, type WireAnswer, type WireSession } from '../support/wire-session.ts';
import { wordOf } from './payment-paths.ts';
import { type ModelWorld, modelWorld, standOf } from './world.ts';

/** One payment, as its caller and its engine see it. */
interface PaymentRun {
  readonly world: ModelWorld;
  readonly paymentId: string;
  /** What the paid call was answered with; `undefined` while it is open. */
  answer(): WireAnswer | undefined;
  /** Sends the paid call again unless one is open. */
  ensureCall(): void;
  /** Asks `get_result` about the job. */
  readJob(args?: object): Promise<DebateState>;
  jobId(): Promise<string>;
  /** The engine's state value; `refused` once the payment is forgotten. */
  value(): Promise<unknown>;
}

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

/** Asks for the price over HTTP, signs, and sends the paid call. */
async function startPayment(flow: PaymentFlow, http: HttpEngine): Promise<PaymentRun> {
  const world = await modelWorld({ http, holds: 'chain' });
  const { engine, clock, payer } = world;
  const wire = await openWire(`${world.baseUrl}/v1/mcp`);
  const unpaid = await wire.ask('tools/call', BOUGHT[flow]);
  expect(unpaid.status).toBe(402);
  const challenge = PaymentRequired.parse(unpaid.message.result?.['structuredContent']);
  const [offer] = challenge.accepts;
  if (offer === undefined) throw new Error('the challenge offers nothing');
  // With an identifier, as the payment is shown again long after it was settled.
  const info = { required: false, id: 'pay_of_the_model_run' };
  const extensions = { 'payment-identifier': { info } };
  const payment = { ...(await payer.pay(offer, { now: clock.now() })), extensions };
  const paid = { ...BOUGHT[flow], _meta: { [PAYMENT_META]: payment } };

  let open: Promise<void> | undefined;
  let answer: WireAnswer | undefined;
  let lost: Error | undefined;
  const ensureCall = (): void => {
    if (open !== undefined) return;
    answer = undefined;
    const take = (got: WireAnswer): void => {
      answer = got;
      open = undefined;
    };
    // A call that is open at the end of the test is cut off with the front.
    open = wire.ask('tools/call', paid).then(take, (thrown: Error) => {
      lost = thrown;
    });
  };
  ensureCall();
  const listed = async () => (await engine.list({ kind: 'payment' })).rows;
  await world.until(async () => (await listed()).length === 1);
  const paymentId = (await listed())[0]?.id ?? '';
  const jobId = async () => String((await engine.view(paymentId)).context['jobId']);
  return {
    ...{ world, paymentId, ensureCall, jobId },
    answer: () => {
      if (lost !== undefined) throw lost;
      return answer;
    },
    readJob: async (args = {}) => readJob(wire, { job_id: await jobId(), wait_s: 0, ...args }),
    value: async () => {
      const rows = await listed();
      return rows.length === 0 ? 'refused' : (await engine.view(paymentId)).value;
    },
  };
}

async function readJob(wire: WireSession, args: object): Promise<DebateState> {
  const answer = await wire.ask('tools/call', { name: 'get_result', arguments: args });
  return DebateState.parse(answer.message.result?.['structuredContent']);
}

/** Looks at the payment from both sides: caller and engine agree with the model's state. */
async function look(run: PaymentRun, expected: unknown, flow: PaymentFlow): Promise<void> {
  const { world, paymentId } = run;
  await world.until(async () => JSON.stringify(await run.value()) === JSON.stringify(expected));
  if (expected !== 'refused') {
    const [created, ...events] = await world.history(paymentId);
    const input = (created as { readonly input?: unknown }).input;
    const stand = standOf(await world.engine.view(paymentId));
    expect(stand).toEqual(pureState(paymentMachine, input, events));
  }
  const state = nameOf(expected);
  checkBooks(world, state, flow);
  if (BUSY.includes(state)) {
    run.ensureCall();
    await new Promise((done) => setTimeout(done, OPEN_MS));
    await world.clock.advance(0);
    expect(run.answer()).toBeUndefined();
    return;
  }
  if (state === 'refused') await world.until(() => run.answer() !== undefined);
  else await askAgain(run);
  checkAnswer(run.answer(), state, flow);
}

/** The chain or the work is under way: the call is open. */
const BUSY = ['challenged', 'verified', 'settling', 'refunding'];

/** A call that is answered too early is so within this time, in milliseconds. */
const OPEN_MS = 10;

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value : (Object.keys(value as object)[0] ?? '');
}

/** Waits for the open call, then for the answer to the same payment again. */
async function askAgain(run: PaymentRun): Promise<void> {
  const { world } = run;
  // Work that the payment no longer waits for ends as well.
  world.gates.open('work', 'ok');
  await world.until(() => run.answer() !== undefined, JOB_LOOK_MS);
  run.ensureCall();
  await world.until(() => run.answer() !== undefined, JOB_LOOK_MS);
}

/** Jobs are looked for by the clock, so it goes on a little. */
const JOB_LOOK_MS = 1;

function checkBooks(world: ModelWorld, state: string, flow: PaymentFlow): void {
  const price = flow === 'upfront' ? 2_000_000n : 10_000n;
  const { paid, refunded } = world.books();
  if (FREE.includes(state)) expect([paid, refunded]).toEqual([0n, 0n]);
  if (PAID.includes(state)) expect([paid, refunded]).toEqual([price, 0n]);
  if (state === 'refunded') expect([paid, refunded]).toEqual([price, price]);
}

const FREE = ['challenged', 'verified', 'released', 'failed', 'refused'];
const PAID = ['settled', 'closed', 'refunding', 'refund_due'];

function checkAnswer(answer: WireAnswer | undefined, state: string, flow: PaymentFlow): void {
  const result = answer?.message.result ?? {};
  const meta = (result['_meta'] ?? {}) as Record<string, unknown>;
  const given = meta[PAYMENT_RESPONSE_META];
  const settlement = given === undefined ? undefined : SettlementResponse.parse(given);
  const body = (result['structuredContent'] ?? {}) as Record<string, unknown>;
  const seen = {
    status: answer?.status,
    success: settlement?.success,
    reason: settlement?.errorReason,
    refund: (settlement?.extra as { refund?: { state: string } } | undefined)?.refund?.state,
    work: flow === 'upfront' ? body['status'] : body['verdict'],
    isError: result['isError'] === true,
  };
  expect(EXPECTED[flow][state]).toContainEqual(seen);
}

interface Seen {
  readonly status: number;
  readonly success?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly refund?: string | undefined;
  readonly work?: string | undefined;
  readonly isError: boolean;
}

const refusal = (reason: string): Seen => ({ status: 402, success: false, reason, isError: true });
const pending: Seen = { status: 200, success: false, reason: 'PAYMENT_PENDING', isError: true };
const broken: Seen = { status: 200, isError: true };
/** How a job may end that is refunded; `failed` is what an operator's stop leaves. */
const ENDS = ['no_quorum', 'cancelled', 'failed'];
const FAILED = [refusal('SETTLEMENT_FAILED'), refusal('PAYMENT_REPLAYED')];
const REFUSED = [refusal('PAYMENT_FUNDS'), { ...broken, ...unseen() }];

function unseen() {
  return { success: undefined, reason: undefined, refund: undefined, work: undefined };
}

function refund(state: string, work: string): Seen {
  return { status: 200, success: true, refund: state, work, isError: work === 'failed' };
}

/** What the caller of the paid call sees in each quiet state; typed, not taken from the source. */
const EXPECTED: Record<PaymentFlow, Readonly<Record<string, readonly Seen[]>>> = {
  authorization: {
    refused: REFUSED,
    unknown: [pending],
    failed: FAILED,
    released: [refusal('PAYMENT_EXPIRED'), { ...broken, work: 'UNKNOWN' }],
    closed: [{ status: 200, success: true, work: 'PASS', isError: false }],
  },
  upfront: {
    refused: REFUSED,
    unknown: [pending],
    failed: FAILED,
    settled: [{ status: 200, success: true, work: 'working', isError: false }],
    closed: [{ status: 200, success: true, work: 'decided', isError: false }],
    refund_due: ENDS.map((work) => refund('due', work)),
    refunded: ENDS.map((work) => refund('refunded', work)),
  },
};

/** Makes happen outside what the model calls an event. */
async function makeHappen(run: PaymentRun, events: readonly Ev[], at: number, word: string) {
  const event = events[at] as Ev;
  const [, kind, , child = ''] = event.type.split('.');
  if (event.type.startsWith('WORK.')) return work(run, event.type);
  if (event.type === 'REFUND.RETRY') {
    await run.world.engine.tell(run.paymentId, event);
  } else if (kind === 'after') await passTimer(run, event.type);
  else await answerChain(run, { child, how: howOf(events, at, word) });
}

/** Of a broadcast without an answer: whether the money moved, as a later look-up will find. */
function howOf(events: readonly Ev[], at: number, word: string): string {
  if (events[at]?.type.endsWith('.settle') !== true) return word;
  const rest = events.slice(at + 1);
  const again = rest.findIndex(({ type }) => type.endsWith('.settle'));
  const until = again < 0 ? rest : rest.slice(0, again);
  const isFound = until.some(
    ({ type, output }) =>
      type.endsWith('.lookUp') && (output as { state?: string } | undefined)?.state === 'settled',
  );
  if (word === 'unknown') return isFound ? 'late' : 'lost';
  return word === 'error' && isFound ? 'late_error' : word;
}

/** Answers every attempt until the machine has heard of it. */
async function answerChain(run: PaymentRun, o: { child: string; how: string }): Promise<void> {
  const { world, paymentId } = run;
  const type = o.how.endsWith('error') ? 'error' : 'done';
  const heard = async () => {
    if ((await run.value()) === 'refused') return true;
    const last = (await world.history(paymentId)).at(-1);
    return last?.type === `xstate.${type}.actor.${o.child}`;
  };
  await world.until(() => world.gates.isHeld(o.child));
  world.gates.open(o.child, o.how);
  const tick = type === 'error' ? RETRY_TICK_MS : 0;
  await world.until(async () => {
    if (await heard()) return true;
    world.gates.open(o.child, o.how);
    return false;
  }, tick);
}

const RETRY_TICK_MS = 100;

/** The job of an upfront payment, or the inline work of the other flow, comes to an end. */
async function work(run: PaymentRun, type: string): Promise<void> {
  const { world } = run;
  const isDone = type === 'WORK.DONE';
  if (world.gates.isHeld('work')) {
    world.gates.open('work', isDone ? 'ok' : 'error');
    return;
  }
  if (type === 'WORK.CANCELLED') {
    await run.readJob({ cancel: true });
    return;
  }
  const seats = ['gpt', 'claude', 'llama', 'qwen', 'mistral'].map((name) => `openai:${name}-m`);
  const how = isDone ? 'ok:o1' : 'invalid';
  await world.until(async () => {
    for (const seat of seats) world.gates.open(seat, how);
    return (await run.value()) !== 'settled';
  });
}

/** The clock reaches the timer; a job that would end before is stopped by the operator. */
async function passTimer({ world, paymentId, jobId }: PaymentRun, type: string): Promise<void> {
  const { engine, clock } = world;
  const { timers, value } = await engine.view(paymentId);
  const timer = timers.find(({ event }) => event.type === type);
  expect(timer, type).toBeDefined();
  if (value === 'settled') await engine.stop(await jobId());
  await clock.set(timer?.due ?? 0);
}

/** Plays one path and looks at both sides after every step. */
export async function playPayment(
  flow: PaymentFlow,
  http: HttpEngine,
  events: readonly Ev[],
): Promise<void> {
  const run = await startPayment(flow, http);
  try {
    for (const [at, event] of events.entries()) {
      await makeHappen(run, events, at, wordOf(event));
      const walked = events.slice(0, at + 1);
      const { value } = pureState(paymentMachine, paymentOrder({ flow }), walked);
      await look(run, value, flow);
    }
  } finally {
    await run.world.close();
  }
}
