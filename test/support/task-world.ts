import { onTestFinished } from 'vitest';
import { TaskPushes } from '../../src/actors/agent-protocol/push-notifications.ts';
import { defineNotice } from '../../src/actors/notification/notice-definition.ts';
import { definePanels } from '../../src/actors/panel/panels.ts';
import { definePayment } from '../../src/actors/payment/definition.ts';
import { PaymentFlow } from '../../src/actors/payment/payment-flow.ts';
import { answerTurns } from '../../src/connect/tour/agent.ts';
import { sha256Hex } from '../../src/domain/common/hash.ts';
import { DebateState } from '../../src/domain/debate/result.ts';
import type { LlmPort } from '../../src/domain/llm/llm.ts';
import { PAYMENT_META, PaymentRequired } from '../../src/domain/payment/payment.ts';
import type { ToolService } from '../../src/domain/tool/tool.ts';
import { addControlRoutes } from '../../src/process/control/controls.ts';
import { createSealer } from '../../src/process/server/sealer.ts';
import { createEgress } from '../../src/providers/net/egress.ts';
import { createNotifier } from '../../src/providers/notification/notifier.ts';
import { readNotificationSettings } from '../../src/providers/notification/settings.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { createChallenger } from '../../src/tools/payment/challenge.ts';
import { commerceJobs, commerceTools } from '../../src/tools/service/catalog.ts';
import { createToolService } from '../../src/tools/service/service.ts';
import {
  MemoryEventLog,
  MemorySessionStore,
} from '../../src/transport/mcp/session/memory-state.ts';
import { createMemoryPaymentChain, type MemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { memoryControls } from './controls.ts';
import { memoryBlobs } from './debate.ts';
import { type FrontRig, startFront, systemRandom } from './front-rig.ts';
import { memoryPaymentIds } from './memory-payment-ids.ts';
import { memoryPushes } from './memory-pushes.ts';
import { createPayer, type Payer } from './payer.ts';
import { realClock } from './real-clock.ts';

/** The tool that runs as a job. */
export const DEBATE = 'deliberation_multi-agent-debate';
/** A debate that waits for its buyer's agent. */
export const ASKING = {
  question: 'Which queue should the new service use?',
  options: ['an embedded log', 'a broker of its own', 'the database that is there'],
  seats_by: 'caller',
  max_rounds: 0,
} as const;

/** An answer that fits what a debate asks, in the words of a model. */
export function answerFor(question: string): string {
  const isVote = question.includes('ranking');
  const stand = isVote ? { ranking: ['o2'] } : { position: 'o2' };
  return JSON.stringify({ ...stand, argument: 'It is the least work.', confidence: 0.6 });
}

type Engine = Parameters<typeof startFront>[0];

/** The commerce server with everything that outlives its process, and a payer of 50 dollars. */
export interface TaskWorld {
  readonly rig: FrontRig;
  readonly service: ToolService;
  readonly chain: MemoryPaymentChain;
  readonly payer: Payer;
  /** Ends front and engine, and starts the next on the same rows. */
  restart(): Promise<void>;
  /** What a client adds to `_meta` to pay for a debate. */
  payment(args?: object): Promise<Record<string, unknown>>;
  /** Brings every turn that a debate asks for, until it ends. */
  answerAll(jobId: string): Promise<DebateState>;
  /** A paid debate that nobody follows. */
  buy(): Promise<string>;
}

/**
 * Serves the commerce tools over one engine; ends with the test.
 *
 * @param reach - Hosts on this machine that push notifications may reach.
 */
export async function taskWorld(http: Engine, reach: readonly string[] = []): Promise<TaskWorld> {
  const payer = createPayer();
  const chain = createMemoryPaymentChain({ balances: { [payer.address]: '50000000' } });
  const rows = {
    store: memoryStore(),
    blobs: memoryBlobs(),
    sessions: new MemorySessionStore(),
    events: new MemoryEventLog(),
    pushes: memoryPushes(),
    ids: memoryPaymentIds(),
    reach,
  };
  let now = await open(http, chain, rows);
  onTestFinished(() => now.close());
  const challenge = async (args: object): Promise<PaymentRequired> => {
    const outcome = await now.service.call({ ...CALL, name: DEBATE, arguments: args });
    if (outcome.kind !== 'payment_required') throw new Error(`no challenge: ${outcome.kind}`);
    return outcome.required;
  };
  const payment = async (args: object = ASKING): Promise<Record<string, unknown>> => {
    const [offer] = PaymentRequired.parse(await challenge(args)).accepts;
    if (offer === undefined) throw new Error('the challenge offers nothing');
    return { [PAYMENT_META]: await payer.pay(offer) };
  };
  const result = async (args: object): Promise<DebateState> => {
    const outcome = await now.service.call({ ...CALL, name: 'get_result', arguments: args });
    if (outcome.kind !== 'result') throw new Error(`no result: ${outcome.kind}`);
    return DebateState.parse(outcome.result.structuredContent);
  };
  return {
    get rig() {
      return now.rig;
    },
    get service() {
      return now.service;
    },
    chain,
    payer,
    payment,
    restart: async () => {
      await now.close();
      now = await open(http, chain, rows);
    },
    answerAll: async (jobId) => {
      let state = await result({ job_id: jobId, wait_s: 5 });
      while (state.result === undefined) {
        const turns = answerTurns(state);
        state = await result({ job_id: jobId, ...(turns.length > 0 ? { turns } : { wait_s: 5 }) });
      }
      return state;
    },
    buy: async () => {
      const value = (await payment())[PAYMENT_META];
      const payments = [{ carrier: 'meta', value }] as const;
      const call = { ...CALL, name: DEBATE, arguments: ASKING, asTask: true, payments };
      const outcome = await now.service.call(call);
      if (outcome.kind !== 'result' || outcome.job === undefined) throw new Error('no job');
      return outcome.job.jobId;
    },
  };
}

const CALL = {
  payments: [],
  resourceUrl: 'mcp://tool/test',
  principal: { kind: 'local', id: 'test' },
  signal: new AbortController().signal,
} as const;

const NO_MODELS: LlmPort = {
  models: [],
  complete: () => Promise.reject(new Error('no model is configured')),
  maxCost: () => null,
};

interface Rows {
  readonly store: ReturnType<typeof memoryStore>;
  readonly blobs: ReturnType<typeof memoryBlobs>;
  readonly sessions: MemorySessionStore;
  readonly events: MemoryEventLog;
  readonly pushes: ReturnType<typeof memoryPushes>;
  readonly ids: ReturnType<typeof memoryPaymentIds>;
  readonly reach: readonly string[];
}

const SEALER = createSealer(new Uint8Array(32));

async function open(http: Engine, chain: MemoryPaymentChain, rows: Rows) {
  const { store, blobs, sessions, events, pushes, ids, reach } = rows;
  const clock = realClock;
  const random = systemRandom;
  const egress = createEgress({ clock, userAgent: 'stoa-test', allowHosts: reach });
  const notifier = createNotifier({
    settings: readNotificationSettings({ env: {}, secret: () => undefined }),
    egress,
    secretOf: () => 'secret',
    sealer: SEALER,
    now: clock.now,
  });
  const definitions = [
    definePayment({ chain }),
    defineNotice({ notifier }),
    ...definePanels({ llm: NO_MODELS, blobs }),
  ];
  const engine = await createEngine({ store, clock, definitions });
  const jobs = commerceJobs({ engine, blobs });
  const service = createToolService({
    server: 'commerce',
    title: 'Commerce',
    version: '0.0.1',
    instructions: 'Call a debate.',
    tools: commerceTools({
      engine,
      blobs,
      clock,
      random,
      egress,
      llm: NO_MODELS,
      trust: chain.trust,
    }),
    paid: {
      payments: new PaymentFlow({ engine, chain, blobs, ids, clock, random }),
      challenger: createChallenger({ chain, clock, random }),
    },
    jobs,
  });
  const notice = (): void => undefined;
  const ports = { engine, clock, random, notifier, notice, jobs, store: pushes, sealer: SEALER };
  const push = new TaskPushes(ports);
  await push.start();
  const seal = (text: string): string => sha256Hex(`seal ${text}`);
  const routes = addControlRoutes(
    { controls: memoryControls(), chain, clock, seal, origin: { current: () => rig.baseUrl } },
    { offered: service },
    [],
  );
  const rig: FrontRig = await startFront(http, {
    commerce: service,
    sessions,
    events,
    push,
    routes,
  });
  const close = async (): Promise<void> => {
    push.stop();
    await rig.front.close();
    await engine.close();
    await egress.close();
  };
  return { rig, service, close };
}
