import { join } from 'node:path';
import { prepareDebate } from '../../src/actors/debate/debate-order.ts';
import { createInspector } from '../../src/actors/inspect/inspector.ts';
import { PANEL_VIEWS } from '../../src/actors/inspect/panel/views.ts';
import { REDACTIONS } from '../../src/actors/inspect/redaction/kinds.ts';
import { definePanels } from '../../src/actors/panel/panels.ts';
import { DebateRequest } from '../../src/domain/debate/request.ts';
import type { LlmPort } from '../../src/domain/llm/llm.ts';
import { MACHINES } from '../../src/machines/common/registry.ts';
import { openEngine } from '../../src/runtime/engine/engine.ts';
import type { ActorEngine, Definition } from '../../src/runtime/engine/types.ts';
import { memoryStore } from '../../src/runtime/store/memory-store.ts';
import type { FrontRoute } from '../../src/transport/front/front-route.ts';
import { counter } from '../support/actors.ts';
import type { ConsoleServer } from '../support/browser.ts';
import { built } from '../support/built.ts';
import { COOKIE_KEY } from '../support/console-rig.ts';
import { memoryBlobs } from '../support/debate.ts';
import { startFront, systemRandom, TOKEN } from '../support/front-rig.ts';
import { createFullRedaction } from '../support/full-redaction.ts';
import { realClock } from '../support/real-clock.ts';
import { scriptedLlm } from '../support/scripted-llm.ts';

/** A server in this process: a real engine, its inspector, and the built page, without a chain. */
export interface Stage {
  readonly engine: ActorEngine;
  readonly blobs: ReturnType<typeof memoryBlobs>;
  readonly served: ConsoleServer;
  /** Begins a debate between models that follow the script of the stage. */
  debate(jobId: string, request?: Readonly<Record<string, unknown>>): Promise<void>;
  end(): Promise<void>;
}

/** What kinds of actors share with the console. */
export interface Shared {
  readonly blobs: ReturnType<typeof memoryBlobs>;
  readonly engine: ActorEngine;
}

/** Options of `openStage`. */
export interface StageOptions {
  readonly llm?: LlmPort;
  /** Kinds beside `counter` and `debate`. */
  readonly definitions?: readonly Definition[];
  /** Kinds of Stoa that stand on what the stage has. */
  readonly own?: (shared: Shared) => readonly Definition[];
  /** Addresses that are served beside the console. */
  readonly routes?: (stage: Shared) => Promise<readonly FrontRoute[]>;
  readonly actions?: readonly ('send' | 'retry' | 'fork' | 'reports')[];
}

/** Opens one; `counter` actors take test events there where actions are on. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { llm = scriptedLlm({ say: () => 'hang' }), definitions = [], actions = [] } = options;
  const blobs = memoryBlobs();
  const { engine, define, start } = openEngine({
    store: memoryStore(),
    clock: realClock,
    definitions: [counter, ...definePanels({ llm, blobs }), ...definitions],
  });
  const shared: Shared = { blobs, engine };
  define(...(options.own?.(shared) ?? []));
  await start();
  const own = [counter, ...definitions];
  const inspector = createInspector({
    engine,
    blobs,
    clock: realClock,
    machines: [...MACHINES, ...own.map((one) => ({ ...one, title: one.kind }))],
    redactions: [...REDACTIONS, ...own.map(({ kind }) => createFullRedaction(kind))],
    panelViews: PANEL_VIEWS,
    runtime: {
      history: () => ({ topic: 'runtime', isFirst: true, samples: [], store: [], effects: [] }),
      watch: () => () => undefined,
    },
    coverage: async () => [],
    version: '0.1.0',
    epoch: 'stage',
    actions,
    developmentKinds: ['counter'],
  });
  const folder = join(await built(), 'web');
  const routes = (await options.routes?.(shared)) ?? [];
  const rig = await startFront('node', {
    inspector,
    routes,
    console: { folder, cookieKey: COOKIE_KEY },
  });
  return {
    engine,
    blobs,
    served: { baseUrl: rig.baseUrl, token: TOKEN },
    debate: async (jobId, request = {}) => {
      const parsed = DebateRequest.parse({
        question: 'Which store should hold the events?',
        options: ['Alpha', 'Bravo', 'Charlie'],
        ...request,
      });
      const { order } = await prepareDebate(
        { llm, blobs, random: systemRandom },
        parsed,
        '2000000',
      );
      await engine.create(order.kind, jobId, { ...order.input, jobId });
    },
    end: async () => {
      await rig.front.close();
      await engine.close();
    },
  };
}
