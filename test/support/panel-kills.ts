import { expect } from 'vitest';
import { prepareCouncil } from '../../src/actors/council/council-order.ts';
import { prepareDebate } from '../../src/actors/debate/debate-order.ts';
import { readTranscript } from '../../src/actors/panel/panel-state.ts';
import { definePanels } from '../../src/actors/panel/panels.ts';
import { DebateRequest } from '../../src/domain/debate/request.ts';
import type { JobOrder } from '../../src/domain/tool/tool.ts';
import { verifyTranscript } from '../../src/domain/verification/panel-transcript.ts';
import type { EngineStore } from '../../src/runtime/engine/ports.ts';
import { COUNCIL_PRICE, councilRequest } from './council.ts';
import { memoryBlobs } from './debate.ts';
import { EngineWorld } from './engine-world.ts';
import { readPanel } from './read-panel.ts';
import { type ScriptedAnswer, type ScriptedCall, scriptedLlm } from './scripted-llm.ts';
import { lmdbShelf, memoryShelf } from './shelf.ts';
import { tillRecorder } from './till.ts';

const SHELVES = { memory: memoryShelf, lmdb: lmdbShelf };
const random = { bytes: (length: number) => new Uint8Array(length).fill(7) };

/** Three of five are for the first option, two against; every role asks its first neighbour. */
function say({ phase, modelId, request }: ScriptedCall): ScriptedAnswer {
  const isFor = /gpt|claude|llama/.test(modelId);
  const isCouncil = request.prompt.includes('approve_with_conditions');
  const choice = isCouncil ? (isFor ? 'approve' : 'reject') : isFor ? 'o1' : 'o2';
  switch (phase) {
    case 'question':
      return { questions: isFor ? [{ to: 'LEGAL', text: 'Why?' }] : [] };
    case 'answer':
      return { answers: [] };
    case 'vote':
      return { ranking: [choice] };
    default:
      return { position: choice };
  }
}

const llm = scriptedLlm({ say });

type Deps = Parameters<typeof prepareCouncil>[0];
const ORDERS: Readonly<Record<string, (deps: Deps) => Promise<JobOrder>>> = {
  debate: async (deps) => {
    const request = DebateRequest.parse({ question: 'Which store?', options: ['Alpha', 'Bravo'] });
    return (await prepareDebate(deps, request, '2000000')).order;
  },
  council: (deps) => prepareCouncil(deps, councilRequest(), COUNCIL_PRICE),
  'council of checklists': (deps) =>
    prepareCouncil(deps, councilRequest({ seats_by: 'rules' }), COUNCIL_PRICE),
};

/** Where a process dies: so many commits come through, and the next one does or does not. */
interface Kill {
  readonly after: number;
  readonly isWritten: boolean;
}

async function play(kind: string, shelf: keyof typeof SHELVES, kill?: Kill) {
  const blobs = memoryBlobs();
  const world = new EngineWorld(SHELVES[shelf]());
  const definitions = [...definePanels({ llm, blobs }), tillRecorder];
  let commits = 0;
  const wrapStore = (store: EngineStore): EngineStore =>
    counted(store, () => {
      commits += 1;
    });
  await world.start(definitions, { wrapStore });
  const order = await ORDERS[kind]?.({ llm, blobs, random, clock: world.clock });
  if (order === undefined) throw new Error(`there is no order of ${kind}`);
  const input = { ...order.input, jobId: 'job_1', paymentId: 'pay_1' };
  await world.engine.create('till', 'pay_1');
  await world.engine.create(order.kind, 'job_1', input);
  commits = 0;
  if (kill?.isWritten === true) world.crashAfterNextCommit(kill.after);
  if (kill?.isWritten === false) world.crashBeforeNextCommit(kill.after);
  await world.clock.advance(1_000);
  const lived = commits;
  if (kill !== undefined) {
    world.crash();
    await world.start(definitions);
  }
  await world.clock.advance(30_000);
  const deps = { engine: world.engine, blobs };
  const { result } = await readPanel(deps, 'job_1');
  const transcript = await readTranscript(deps, 'job_1');
  const { context } = await world.engine.view('pay_1');
  await world.end();
  return { commits: lived, result, transcript, told: context['told'] };
}

function counted(store: EngineStore, count: () => void): EngineStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'commit') count();
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** What must not depend on where a process died; what lost calls may have cost does. */
function essence({ result, transcript, told }: Awaited<ReturnType<typeof play>>) {
  const { cost: _cost, transcript_root: _root, limits: _limits, ...rest } = result ?? {};
  const ids = transcript.turns.map(({ turnId, position }) => `${turnId} ${position}`).sort();
  return { ...rest, ids, told, notes: transcript.notes };
}

/**
 * Plays a panel once whole, and once for each commit with a process that dies right before or right
 * after it: all come to the same, are verified, and tell their payment once.
 */
export async function expectSameAfterKills(
  kind: string,
  shelf: keyof typeof SHELVES,
): Promise<void> {
  const whole = await play(kind, shelf);
  expect(whole.result?.outcome).toBe('decided');
  expect(whole.commits).toBeGreaterThan(3);
  for (let after = 0; after < whole.commits; after += 1) {
    for (const isWritten of [false, true]) {
      const killed = await play(kind, shelf, { after, isWritten });
      expect(essence(killed), `${after} ${isWritten}`).toEqual(essence(whole));
      expect(verifyTranscript(killed.transcript)).toMatchObject({ isValid: true });
      expect(killed.told).toEqual([{ type: 'WORK.DONE' }]);
    }
  }
}
