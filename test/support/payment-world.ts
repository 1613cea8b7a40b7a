import { randomBytes } from 'node:crypto';
import { definePayment } from '../../src/actors/payment/definition.ts';
import type { PaidAnswer, PaidCall } from '../../src/actors/payment/paid-call.ts';
import { PaymentFlow } from '../../src/actors/payment/payment-flow.ts';
import type { BlobStore } from '../../src/domain/common/blob-store.ts';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import type { PaymentPayload, PaymentRequirements } from '../../src/domain/payment/payment.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import type { ToolResult } from '../../src/domain/tool/tool-result.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import type { ActorEngine, Definition } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { errand } from './errand.ts';
import { memoryPaymentIds } from './memory-payment-ids.ts';
import { type Death, Life, mortalChain, mortalStore } from './mortal.ts';
import { createPayer, type Payer, requirementsOf } from './payer.ts';

/** Everything that outlives a process, and the means to begin the next one. */
export interface PaymentWorld {
  readonly clock: SimulatedClock;
  readonly chain: MemoryPaymentChain;
  readonly payer: Payer;
  readonly offer: PaymentRequirements;
  readonly blobs: BlobStore;
  start(death?: Death): Promise<Process>;
  /** A signed payment for `offer`, with a fresh nonce. */
  sign(offer?: PaymentRequirements): Promise<PaymentPayload>;
  /** Moves the clock until the promise has settled; at most an hour. */
  drive<T>(promise: Promise<T>): Promise<T>;
  /** What the payer has paid in, and got back, in micro-dollars. */
  books(): { readonly paid: bigint; readonly refunded: bigint };
}

/** One life of the server. */
export interface Process {
  readonly life: Life;
  readonly engine: ActorEngine;
  readonly payments: PaymentFlow;
}

const START = Date.UTC(2026, 0, 1);
const PRICE = '2000000';

/** Makes a world with one funded payer and an offer of two dollars. */
export async function paymentWorld(
  dollars = '50000000',
  more: (blobs: BlobStore) => readonly Definition[] = () => [],
): Promise<PaymentWorld> {
  const clock = new SimulatedClock(START);
  const payer = createPayer();
  const chain = createMemoryPaymentChain({
    now: () => clock.now(),
    balances: { [payer.address]: dollars },
  });
  const store = memoryStore();
  const blobs = memoryBlobs();
  const ids = memoryPaymentIds();
  const offer = requirementsOf(chain.facts, { amount: PRICE, maxTimeoutSeconds: 300 });
  const movements = (from: string, to: string) =>
    chain.ledger.transfers
      .filter((row) => same(row.from, from) && same(row.to, to))
      .reduce((sum, { value }) => sum + value, 0n);

  return {
    clock,
    chain,
    payer,
    offer,
    blobs,
    sign: (asked = offer) => payer.pay(asked, { now: clock.now() }),
    drive: (promise) => drive(clock, promise),
    books: () => ({
      paid: movements(payer.address, chain.facts.treasury),
      refunded: movements(chain.facts.treasury, payer.address),
    }),
    start: async (death) => {
      const life = new Life(death);
      const mortal: PaymentChain = mortalChain(chain, life);
      const engine = await createEngine({
        store: mortalStore(store, life),
        clock,
        definitions: [definePayment({ chain: mortal }), errand, ...more(blobs)],
      });
      const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };
      const payments = new PaymentFlow({ engine, chain: mortal, blobs, ids, clock, random });
      return { life, engine, payments };
    },
  };
}

/** A call of an inline tool that counts how often it ran. */
export function inlineCall(
  world: PaymentWorld,
  payload: PaymentPayload,
  overrides: Partial<PaidCall> = {},
): PaidCall & { readonly runs: () => number } {
  let runs = 0;
  return {
    tool: 'ops_link-integrity',
    args: { urls: ['https://example.org/'] },
    flow: 'authorization',
    offer: world.offer,
    resourceUrl: 'mcp://tool/ops_link-integrity',
    payments: [{ carrier: 'meta', value: payload }],
    run: async () => {
      runs += 1;
      return textResult(`ran ${runs}`);
    },
    runs: () => runs,
    ...overrides,
  };
}

/** A call of a tool that orders an errand and answers with the job's id. */
export function jobCall(
  world: PaymentWorld,
  payload: PaymentPayload,
  overrides: Partial<PaidCall> = {},
) {
  return inlineCall(world, payload, {
    tool: 'deliberation_multi-agent-debate',
    flow: 'upfront',
    order: async () => ({ kind: 'errand', input: { goal: 'decide' } }),
    run: async ({ jobId }) => textResult(jobId ?? 'no job'),
    ...overrides,
  });
}

/** A result of one line. */
export function textResult(text: string, isError = false): ToolResult {
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}

/** First line of an answer, or the code of what refused it. */
export function gist(answer: PaidAnswer): string {
  if (answer.kind === 'refused') return answer.fault.code;
  const [first] = answer.result.content;
  return first?.type === 'text' ? first.text : '';
}

/** A world with its first process. */
export async function beginWorld(dollars?: string): Promise<PaymentWorld & Process> {
  const world = await paymentWorld(dollars);
  return { ...world, ...(await world.start()) };
}

/** Where the payments of a process stand. */
export async function paymentStates({ engine }: Process): Promise<string[]> {
  const { rows } = await engine.list({ kind: 'payment' });
  return rows.map(({ state }) => state);
}

/** An answer that must not be a refusal. */
export function paidAnswer(answer: PaidAnswer): PaidAnswer & { readonly kind: 'answered' } {
  if (answer.kind === 'answered') return answer;
  throw new Error(`refused: ${JSON.stringify(answer.fault)}`);
}

/** Moves a clock on until a promise has settled. */
export async function drive<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let seconds = 0; seconds < 3_600; seconds += 1) {
    await clock.advance(0);
    if (isSettled) break;
    await clock.advance(1_000);
  }
  return promise;
}

function memoryBlobs(): BlobStore {
  const texts = new Map<string, string>();
  return {
    put: async (text) => {
      const sha = sha256Hex(text);
      texts.set(sha, text);
      return sha;
    },
    get: (sha) => texts.get(sha),
  };
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
