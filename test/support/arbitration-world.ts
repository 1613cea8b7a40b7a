import { prepareArbitration } from '../../src/actors/arbitration/arbitration-order.ts';
import { createArbitrations } from '../../src/actors/arbitration/arbitrations.ts';
import { CaseIndex } from '../../src/actors/arbitration/case-index.ts';
import { defineArbitration } from '../../src/actors/arbitration/definition.ts';
import { EvidenceOrder } from '../../src/domain/arbitration/case-view.ts';
import { ArbitrationRequest } from '../../src/domain/arbitration/request.ts';
import { AppError } from '../../src/domain/common/error.ts';
import type { LlmPort } from '../../src/domain/llm/llm.ts';
import type { Delegations } from '../../src/domain/passport/delegations.ts';
import type { ArbitrationContext } from '../../src/machines/panel/arbitration-prelude.ts';
import type { EngineStore } from '../../src/runtime/engine/ports.ts';
import type { ActorEngine, Definition } from '../../src/runtime/engine/types.ts';
import { createMemoryPaymentChain } from './chain-memory/memory-chain.ts';
import { memoryBlobs } from './debate.ts';
import { type JobFacts, jobDouble, type ToldJob } from './disputed-job.ts';
import { EngineWorld } from './engine-world.ts';
import { scriptedLlm } from './scripted-llm.ts';
import { lmdbShelf, memoryShelf } from './shelf.ts';
import { tillRecorder } from './till.ts';

/** Wallets of both sides of the job, and of somebody else. */
export const WALLETS = {
  buyer: `0x${'a1'.repeat(20)}`,
  provider: `0x${'b2'.repeat(20)}`,
  stranger: `0x${'c3'.repeat(20)}`,
} as const;
/** Price of an arbitration. */
export const PRICE = '5000000';
const SHELVES = { memory: memoryShelf, lmdb: lmdbShelf };
/** The shortest window of a verdict that decides an escrow. */
const WINDOW_MS = 24 * 3_600_000;

/** What a world of arbitrations is made with. */
export interface ArbitrationWorldOptions {
  readonly shelf?: keyof typeof SHELVES;
  readonly llm?: LlmPort;
  readonly job?: JobFacts;
  readonly request?: Partial<ArbitrationRequest>;
  readonly wrapStore?: (store: EngineStore) => EngineStore;
}

type DelegationsOf = Pick<Delegations, 'verifyChain'>;

async function neverAsked(): Promise<never> {
  throw new AppError('INTERNAL', { message: 'No delegation was named.' });
}

function kindsWith(deps: Omit<Parameters<typeof defineArbitration>[0], 'engine'>) {
  return (engine: ActorEngine): readonly Definition[] => [
    defineArbitration({ ...deps, engine }),
    jobDouble,
    tillRecorder,
  ];
}

/** A disputed job `board_1` and its arbitration `job_1`, paid by `pay_1`. */
export async function arbitrationWorld(o: ArbitrationWorldOptions = {}) {
  const { shelf = 'memory', llm = scriptedLlm({ families: [], say: () => 'hang' }), wrapStore } = o;
  const world = new EngineWorld(SHELVES[shelf]());
  const blobs = memoryBlobs();
  const { trust } = createMemoryPaymentChain();
  const deps = { llm, blobs, trust, clock: world.clock };
  const definitions = kindsWith(deps);
  const start = () => world.start(definitions, wrapStore === undefined ? {} : { wrapStore });
  await start();
  await world.engine.create('till', 'pay_1');
  const openedAtS = Math.floor(world.clock.now() / 1_000);
  await world.engine.create('job', 'board_1', { ...WALLETS, openedAtS, ...o.job });
  let index = await CaseIndex.start(world.engine);
  const random = { bytes: (length: number) => new Uint8Array(length).fill(7) };
  const order = (
    request: Partial<ArbitrationRequest> = {},
    by: { readonly payer?: string; readonly delegations?: DelegationsOf } = {},
  ) =>
    prepareArbitration(
      {
        llm,
        blobs,
        random,
        engine: world.engine,
        index,
        clock: world.clock,
        delegations: by.delegations ?? { verifyChain: neverAsked },
      },
      ArbitrationRequest.parse({
        job_id: 'board_1',
        window_s: WINDOW_MS / 1_000,
        ...o.request,
        ...request,
      }),
      PRICE,
      {
        principal: { kind: 'local', id: 'test' },
        paymentId: 'pay_1',
        payer: by.payer ?? WALLETS.buyer,
      },
    );
  const desk = () => createArbitrations({ engine: world.engine, blobs, clock: world.clock, index });
  const given = async (who: keyof typeof WALLETS, order: object, call = JSON.stringify(order)) => {
    const by = { wallet: WALLETS[who], key: `${who}:${call}` };
    const view = await desk().submitEvidence('board_1', EvidenceOrder.parse(order), by);
    await world.clock.advance(0);
    return view;
  };
  return {
    world,
    blobs,
    order,
    desk,
    trust,
    index: () => index,
    begin: async () => {
      const { kind, input } = await order();
      await world.engine.create(kind, 'job_1', { ...input, jobId: 'job_1', paymentId: 'pay_1' });
      await world.clock.advance(0);
    },
    give: given,
    restart: async () => {
      world.crash();
      await world.start(definitions);
      index = await CaseIndex.start(world.engine);
    },
    endWindow: () => world.clock.advance(WINDOW_MS + 1_000),
    /** Both sides say that they have nothing to hand in: both were heard, and the window ends. */
    waiveAll: async () => {
      for (const who of ['buyer', 'provider'] as const) await given(who, { is_last: true });
    },
    deps: () => ({ engine: world.engine, blobs }),
    context: async () =>
      (await world.engine.view('job_1')).context as unknown as ArbitrationContext,
    /** What the job of the board was told, and what the payment. */
    told: async () => {
      const job = (await world.engine.view('board_1')).context as unknown as ToldJob;
      const { context } = await world.engine.view('pay_1');
      return { job: job.told, payment: context['told'] };
    },
  };
}
