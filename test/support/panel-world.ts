import { prepareDebate } from '../../src/actors/debate/debate-order.ts';
import { definePanels } from '../../src/actors/panel/panels.ts';
import { DebateRequest } from '../../src/domain/debate/request.ts';
import type { LlmPort } from '../../src/domain/llm/llm.ts';
import type { JobOrder, ToolContext } from '../../src/domain/tool/tool.ts';
import type { PanelContext } from '../../src/machines/panel/panel-context.ts';
import { createEngine } from '../../src/runtime/engine/engine.ts';
import type { ActorEngine, View } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import { SimulatedClock } from '../../src/runtime/timer/clock.ts';
import { memoryBlobs } from './debate.ts';
import { tillRecorder } from './till.ts';

/** A request as a caller writes it. */
export type RequestText = { [key in keyof DebateRequest]?: unknown };

/** An engine with debates, and everything that outlives its process. */
export interface PanelWorld {
  readonly clock: SimulatedClock;
  readonly blobs: ReturnType<typeof memoryBlobs>;
  engine: ActorEngine;
  /** Tool deps over the engine that runs now. */
  readonly deps: () => PanelDeps;
  /** Prepares and creates a debate, paid by `pay_1`. */
  start(request?: RequestText, jobId?: string): Promise<string>;
  /** Creates what a tool has ordered, paid by `pay_1`. */
  begin(order: JobOrder, jobId?: string): Promise<string>;
  /** Drops the process without goodbye and starts the next on the same store. */
  restart(): Promise<void>;
  /** The committed context. */
  context(jobId: string): Promise<PanelContext>;
  /** Runs until the debate ends, moving the clock by small steps; at most an hour. */
  finish(jobId: string): Promise<View>;
  /** What the payment was told. */
  paid(): Promise<readonly Record<string, unknown>[]>;
}

/** What the tools of panels are made with. */
export interface PanelDeps {
  readonly engine: ActorEngine;
  readonly blobs: ReturnType<typeof memoryBlobs>;
  readonly clock: SimulatedClock;
  readonly llm: LlmPort;
  readonly random: { bytes(length: number): Uint8Array };
}

const START = Date.UTC(2026, 0, 1);
const PRICE = '2000000';

/** Makes a world in which models follow a script. */
export async function panelWorld(llm: LlmPort): Promise<PanelWorld> {
  const clock = new SimulatedClock(START);
  const blobs = memoryBlobs();
  const store = memoryStore();
  const random = { bytes: (length: number) => new Uint8Array(length).fill(7) };
  const definitions = [...definePanels({ llm, blobs }), tillRecorder];
  const open = () => createEngine({ store, clock, definitions });
  const world: PanelWorld = {
    clock,
    blobs,
    engine: await open(),
    deps: () => ({ engine: world.engine, blobs, clock, llm, random }),
    start: async (request = {}, jobId = 'job_1') => {
      const parsed = DebateRequest.parse({
        question: 'Which store should hold the events?',
        options: ['Alpha', 'Bravo', 'Charlie'],
        ...request,
      });
      const { order } = await prepareDebate({ llm, blobs, random }, parsed, PRICE);
      return world.begin(order, jobId);
    },
    begin: async (order, jobId = 'job_1') => {
      await world.engine.create('till', 'pay_1');
      const input = { ...order.input, jobId, paymentId: 'pay_1' };
      await world.engine.create(order.kind, jobId, input);
      return jobId;
    },
    restart: async () => {
      await world.engine.close();
      world.engine = await open();
    },
    context: async (jobId) => (await world.engine.view(jobId)).context as unknown as PanelContext,
    finish: async (jobId) => {
      for (let step = 0; step < 3_600; step += 1) {
        const view = await world.engine.view(jobId);
        if (view.status !== 'active') return view;
        await clock.advance(1_000);
      }
      throw new Error('the debate has not ended within an hour');
    },
    paid: async () => {
      await clock.advance(0);
      const { context } = await world.engine.view('pay_1');
      return context['told'] as readonly Record<string, unknown>[];
    },
  };
  return world;
}

/** A tool context that keeps what progress it was told. */
export function toolContext(overrides: Partial<ToolContext> = {}) {
  const told: { progress: number; total?: number; message: string }[] = [];
  const context: ToolContext = {
    principal: { kind: 'local', id: 'test' },
    signal: new AbortController().signal,
    progress: (step) => told.push(step),
    ...overrides,
  };
  return { context, told };
}
