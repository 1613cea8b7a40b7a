import { definePanels } from '../../src/actors/panel/panels.ts';
import { definePayment } from '../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../src/actors/payment/payment-flow.ts';
import type { PaymentChain } from '../../src/domain/payment/payment-chain.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import { EngineError } from '../../src/runtime/engine/error.ts';
import type { ActorEngine, Definition, Ev, View } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { SimulatedProcess } from '../../src/testing/simulated-process.ts';
import { createChallenger } from '../../src/tools/payment/challenge.ts';
import { commerceTools } from '../../src/tools/service/catalog.ts';
import { createToolService } from '../../src/tools/service/service.ts';
import type { Front } from '../../src/transport/front/front.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import {
  MemoryEventLog,
  MemorySessionStore,
} from '../../src/transport/mcp/session/memory-state.ts';
import {
  createMemoryPaymentChain,
  type MemoryPaymentChain,
} from '../support/chain-memory/memory-chain.ts';
import { memoryBlobs } from '../support/debate.ts';
import { startFront, systemRandom } from '../support/front-rig.ts';
import { memoryPaymentIds } from '../support/memory-payment-ids.ts';
import { createPayer, type Payer } from '../support/payer.ts';
import { Gates } from './gates.ts';
import { gatedChain, gatedEgress, gatedModels } from './outside.ts';

/** The commerce server on a real port, over a clock that stands and an outside that waits. */
export interface ModelWorld {
  /** Of the process that runs now. */
  readonly baseUrl: string;
  readonly clock: SimulatedClock;
  readonly gates: Gates;
  readonly payer: Payer;
  /** Of the process that runs now. */
  readonly engine: ActorEngine;
  /**
   * Waits for a claim, in real time at most ten seconds; `tickMs` moves the clock on meanwhile, for
   * those who wait by the clock.
   */
  until(claim: () => Promise<boolean> | boolean, tickMs?: number): Promise<void>;
  /** At once where the chain is in memory. */
  books(): Books | Promise<Books>;
  /** What is known of an actor from its journal: the input and every event that counted. */
  history(id: string): Promise<readonly Ev[]>;
  /**
   * Ends the process without a word and starts the next one on the same rows: connections break,
   * what was asked outside is never answered, effects and timers are taken up.
   */
  killAndRestart(): Promise<void>;
  /** Delivers an answer to every effect of an actor that has ended: each is refused by name. */
  answerLate(actorId: string): Promise<void>;
  close(): Promise<void>;
}

/** Paid by the payer, and sent back to it, in micro-dollars. */
export interface Books {
  readonly paid: bigint;
  readonly refunded: bigint;
}

/** The money of a world: a chain, what stands between the server and it, and who pays. */
export interface ModelMoney {
  readonly chain: PaymentChain;
  readonly gated: PaymentChain;
  readonly payer: Payer;
  books(): Books | Promise<Books>;
}

/** Makes the money of a world whose clock stands there already. */
export type MakesMoney = (clock: SimulatedClock, gates: Gates) => ModelMoney;

const START = Date.UTC(2026, 0, 1);
const HANG_MS = 60_000;
/** Attempts of an effect, where its definition says nothing. */
const ATTEMPTS = 3;
/** More kills than a path has: effects that kill their process are another suite's. */
const DEATHS_MAX = 1000;
/** Wait between two attempts of an effect, in milliseconds. */
const BACKOFF_MS = 100;

/**
 * Starts a world; `holds` says whose answers wait at gates.
 *
 * @param o.money - Where the money is; in memory unless given.
 * @param o.startAt - Where the clock begins, in milliseconds.
 */
export async function modelWorld(o: {
  readonly http: HttpEngine;
  readonly holds: 'chain' | 'seal';
  readonly money?: MakesMoney;
  readonly startAt?: number;
}): Promise<ModelWorld> {
  const clock = new SimulatedClock(o.startAt ?? START);
  const [gates, blobs, store] = [new Gates(), memoryBlobs(), memoryStore()];
  const ids = memoryPaymentIds();
  const sessions = { sessions: new MemorySessionStore(), events: new MemoryEventLog() };
  const { chain, gated, payer, books } = (o.money ?? moneyInMemory)(clock, gates);
  const paidOn = o.holds === 'chain' ? gated : chain;
  const llm = gatedModels(gates);
  const [debate] = definePanels({ llm, blobs });
  if (debate === undefined) throw new Error('the debate is the first of the panels');
  let kills = 0;
  const boot = async (): Promise<Process> => {
    const life = new SimulatedProcess();
    const own = life.wrapClock(clock);
    const engine = await createEngine({
      store: life.wrapStore(store, () => undefined),
      clock: own,
      definitions: [
        definePayment({ chain: paidOn }),
        o.holds === 'seal' ? holdingSeal(debate, gates) : debate,
      ].map((definition) => sparing(definition, kills)),
    });
    const service = createToolService({
      server: 'commerce',
      title: 'Commerce',
      version: '0.0.1',
      instructions: 'Buy something.',
      tools: commerceTools({
        engine,
        blobs,
        clock: own,
        random: systemRandom,
        llm,
        egress: gatedEgress(gates),
        trust: createMemoryPaymentChain().trust,
      }),
      paid: {
        payments: new PaymentFlow({
          engine,
          chain: paidOn,
          blobs,
          ids,
          clock: own,
          random: systemRandom,
        }),
        challenger: createChallenger({ chain, clock: own }),
      },
    });
    const limits = { closeGraceMs: 1 };
    const rig = await startFront(o.http, { commerce: service, limits, ...sessions });
    return { life, engine, front: rig.front, baseUrl: rig.baseUrl };
  };
  let now = await boot();
  return {
    clock,
    gates,
    payer,
    books,
    get baseUrl() {
      return now.baseUrl;
    },
    get engine() {
      return now.engine;
    },
    until: (claim, tickMs = 0) => until(clock, claim, tickMs),
    history: (id) => historyOf(now.engine, id),
    killAndRestart: async () => {
      now.life.kill();
      gates.forget();
      await now.front.close();
      kills += 1;
      now = await boot();
      await clock.advance(0);
    },
    answerLate: (actorId) => answerLate(now.engine, actorId),
    close: async () => {
      gates.openAll('aborted');
      await now.engine.close();
      await now.front.close();
    },
  };
}

interface Process {
  readonly life: SimulatedProcess;
  readonly engine: ActorEngine;
  readonly front: Front;
  readonly baseUrl: string;
}

/** What a view says of an actor, in the words of the pure model. */
export function standOf({ value, context, status }: View): Record<string, unknown> {
  return JSON.parse(JSON.stringify({ value, context, status }));
}

/**
 * An attempt that a kill cut short is one more that an effect may make, and no kill is blamed on
 * it. The waits between attempts do not grow, or after some kills they would reach the deadlines.
 */
function sparing(definition: Definition, kills: number): Definition {
  const effects = Object.entries(definition.effects).map(([name, effect]) => {
    const attempts = (effect.attempts ?? ATTEMPTS) + kills;
    const spared = { ...effect, attempts, backoff: () => BACKOFF_MS, deathsMax: DEATHS_MAX };
    return [name, spared] as const;
  });
  return { ...definition, effects: Object.fromEntries(effects) };
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

function moneyInMemory(clock: SimulatedClock, gates: Gates): ModelMoney {
  const payer = createPayer();
  const chain = createMemoryPaymentChain({
    now: () => clock.now(),
    balances: { [payer.address]: '50000000' },
  });
  return { chain, payer, gated: gatedChain(chain, gates), books: () => booksOf(chain, payer) };
}

function booksOf({ ledger, facts }: MemoryPaymentChain, { address }: Payer) {
  const sum = (from: string, to: string) =>
    ledger.transfers
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

async function answerLate(engine: ActorEngine, actorId: string): Promise<void> {
  const running = new Set((await engine.view(actorId)).effects.map(({ token }) => token));
  const tokens = new Set<string>();
  for await (const { cause } of engine.journal(actorId)) {
    if (cause.by === 'effect' && !running.has(cause.token)) tokens.add(cause.token);
  }
  for (const token of tokens) {
    const code = await engine.complete(token, { ok: true, output: null }).then(
      () => 'taken',
      (thrown: unknown) => (thrown instanceof EngineError ? thrown.code : String(thrown)),
    );
    if (code !== 'EFFECT_UNKNOWN') throw new Error(`a late answer to ${token} was ${code}`);
  }
}
