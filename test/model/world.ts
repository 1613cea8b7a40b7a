import { defineDebate } from '../../src/actors/panels/debate.ts';
import { definePayment } from '../../src/actors/payments/definition.ts';
import { createPayments } from '../../src/actors/payments.ts';
import { type MemoryPaymentChain, memoryPaymentChain } from '../../src/providers/chain/memory.ts';
import { SimulatedClock } from '../../src/runtime/clock.ts';
import { createEngine } from '../../src/runtime/engine.ts';
import { memoryStore } from '../../src/runtime/memory-store.ts';
import type { ActorEngine, Definition, Ev, View } from '../../src/runtime/types.ts';
import { commerceTools } from '../../src/tools/catalog.ts';
import { createChallenger } from '../../src/tools/challenge.ts';
import { createToolService } from '../../src/tools/service.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { memoryBlobs } from '../support/debate.ts';
import { startFront, systemRandom } from '../support/front-rig.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { Gates } from './gates.ts';
import { gatedChain, gatedEgress, gatedModels } from './outside.ts';

/** The commerce server on a real port, over a clock that stands and an outside that waits. */
export interface ModelWorld {
  readonly baseUrl: string;
  readonly clock: SimulatedClock;
  readonly gates: Gates;
  readonly chain: MemoryPaymentChain;
  readonly payer: Payer;
  readonly engine: ActorEngine;
  /**
   * Waits for a claim, in real time at most ten seconds; `tickMs` moves the clock on meanwhile, for
   * those who wait by the clock.
   */
  until(claim: () => Promise<boolean> | boolean, tickMs?: number): Promise<void>;
  /** Paid by the payer, and sent back to it, in micro-dollars. */
  books(): { readonly paid: bigint; readonly refunded: bigint };
  /** What is known of an actor from its journal: the input and every event that counted. */
  history(id: string): Promise<readonly Ev[]>;
  close(): Promise<void>;
}

const START = Date.UTC(2026, 0, 1);
const HANG_MS = 10_000;

/** Starts a world; `holds` says whose answers wait at gates. */
export async function modelWorld(o: {
  readonly http: HttpEngine;
  readonly holds: 'chain' | 'seal';
}): Promise<ModelWorld> {
  const clock = new SimulatedClock(START);
  const [gates, payer, blobs, random] = [new Gates(), createPayer(), memoryBlobs(), systemRandom];
  const chain = memoryPaymentChain({
    now: () => clock.now(),
    balances: { [payer.address]: '50000000' },
  });
  const paidOn = o.holds === 'chain' ? gatedChain(chain, gates) : chain;
  const llm = gatedModels(gates);
  const debate = defineDebate({ llm, blobs });
  const engine = await createEngine({
    store: memoryStore(),
    clock,
    definitions: [
      definePayment({ chain: paidOn }),
      o.holds === 'seal' ? holdingSeal(debate, gates) : debate,
    ],
  });
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '0.0.1',
    instructions: 'Buy something.',
    tools: commerceTools({ engine, blobs, clock, random, llm, egress: gatedEgress(gates) }),
    paid: {
      payments: createPayments({ engine, chain: paidOn, blobs, clock, random }),
      challenger: createChallenger({ chain, clock }),
    },
  });
  const { front, baseUrl } = await startFront(o.http, { commerce: service });
  return {
    ...{ baseUrl, clock, gates, chain, payer, engine },
    until: (claim, tickMs = 0) => until(clock, claim, tickMs),
    books: () => booksOf(chain, payer),
    history: (id) => historyOf(engine, id),
    close: async () => {
      gates.openAll('aborted');
      await engine.close();
      await front.close();
    },
  };
}

/** What a view says of an actor, in the words of the pure model. */
export function standOf({ value, context, status }: View): Record<string, unknown> {
  return JSON.parse(JSON.stringify({ value, context, status }));
}

/** Sealing waits at the gate `seal`; `error` is a disk that does not take it. */
function holdingSeal(definition: Definition, gates: Gates): Definition {
  const seal = definition.effects['seal'];
  if (seal === undefined) throw new Error('a debate seals');
  const run: typeof seal.run = async (input, context) => {
    const how = await gates.wait('seal', context.signal);
    if (how === 'error') throw new Error('the disk does not answer');
    return seal.run(input, context);
  };
  return { ...definition, effects: { ...definition.effects, seal: { ...seal, run } } };
}

async function until(
  clock: SimulatedClock,
  claim: () => Promise<boolean> | boolean,
  tickMs: number,
): Promise<void> {
  const latest = Date.now() + HANG_MS;
  while (!(await claim())) {
    if (Date.now() > latest) throw new Error(`waited too long for ${claim.toString()}`);
    await new Promise((done) => setTimeout(done, 1));
    await clock.advance(tickMs);
  }
}

function booksOf({ ledger, facts }: MemoryPaymentChain, { address }: Payer) {
  const sum = (from: string, to: string) =>
    ledger.movements
      .filter((row) => isSame(row.from, from) && isSame(row.to, to))
      .reduce((total, { value }) => total + value, 0n);
  return { paid: sum(address, facts.treasury), refunded: sum(facts.treasury, address) };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

async function historyOf(engine: ActorEngine, id: string): Promise<readonly Ev[]> {
  const events: Ev[] = [];
  for await (const { entry, event } of engine.journal(id)) {
    if (entry === 'event') events.push(event);
  }
  return events;
}
