import { afterEach, describe, expect, test } from 'vitest';
import { createPanelView } from '../../../src/actors/inspect/panel/panel-frame.ts';
import { readTranscript } from '../../../src/actors/panel/panel-state.ts';
import { cancelPanel, definePanels } from '../../../src/actors/panel/panels.ts';
import { supplyTurns } from '../../../src/actors/panel/supply-turns.ts';
import { projectPanelProofs } from '../../../src/actors/proof/panel-projector.ts';
import type { SeatKind } from '../../../src/domain/panel/records.ts';
import { verifyTranscript } from '../../../src/domain/verification/panel-transcript.ts';
import type { PanelContext } from '../../../src/machines/panel/panel-context.ts';
import { createPanel } from '../../../src/machines/panel/panels.ts';
import { formatPanel } from '../../../src/tools/panel/panel-answer.ts';
import { memoryBlobs } from '../../support/debate.ts';
import { EngineWorld } from '../../support/engine-world.ts';
import { JURY_BRIEF, juryInput, juryPanel } from '../../support/jury.ts';
import { readPanel } from '../../support/read-panel.ts';
import { type ScriptedCall, type ScriptedLlm, scriptedLlm } from '../../support/scripted-llm.ts';
import { lmdbShelf, memoryShelf } from '../../support/shelf.ts';
import { tillRecorder } from '../../support/till.ts';
import { textOf } from '../../support/tool-answers.ts';

/** The list that the new panel is one line of. */
const panels = [juryPanel];
const SHELVES = { memory: memoryShelf, lmdb: lmdbShelf };

/** Those that the jury names. */
const MODELS = ['model-0', 'model-1', 'model-2', 'model-3'];

const worlds: EngineWorld[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.end();
});

function steady({ phase, modelId }: ScriptedCall) {
  const choice = modelId.endsWith('2-x') ? 'no' : 'yes';
  return phase === 'vote' ? { ranking: [choice] } : { position: choice };
}

async function opened(
  shelf: keyof typeof SHELVES,
  llm: ScriptedLlm = scriptedLlm({ say: steady, families: MODELS }),
) {
  const blobs = memoryBlobs();
  const briefSha = await blobs.put(JSON.stringify(JURY_BRIEF));
  const world = new EngineWorld(SHELVES[shelf]());
  worlds.push(world);
  const definitions = [
    ...definePanels(
      { llm, blobs },
      panels.map((panel) => createPanel(panel)),
    ),
    tillRecorder,
  ];
  await world.start(definitions);
  const deps = () => ({ engine: world.engine, blobs, panels });
  return {
    world,
    blobs,
    deps,
    begin: async (kind: SeatKind) => {
      await world.engine.create('till', 'pay_1');
      await world.engine.create('jury', 'job_1', juryInput(briefSha, kind));
      await world.clock.advance(0);
    },
    resume: () => world.start(definitions),
    read: () => readPanel(deps(), 'job_1'),
  };
}

const DECIDED = {
  isValid: true,
  kind: 'jury',
  winner: 'yes',
  rule: 'majority',
  cast: 3,
  turns: 6,
};

describe.each(['memory', 'lmdb'] as const)('a new panel on the %s engine', (shelf) => {
  test.each(['llm', 'rule'] as const)(
    'decides with seats of kind %s and is verified',
    async (kind) => {
      const jury = await opened(shelf);
      await jury.begin(kind);
      await jury.world.clock.advance(1_000);
      const state = await jury.read();
      expect(state).toMatchObject({
        kind: 'jury',
        status: 'decided',
        turns_done: 6,
        turns_planned: 6,
      });
      expect(textOf(formatPanel(state, { panels })).split('\n').slice(0, 2)).toEqual([
        'Decision: Yes (by majority of first choices)',
        'Why: Yes 2, No 1 (3 of 3 ballots, quorum 2)',
      ]);
      const transcript = await readTranscript(jury.deps(), 'job_1');
      expect(transcript.notes).toEqual({ spread: { positions: ['no', 'yes'] } });
      expect(verifyTranscript(JSON.parse(JSON.stringify(transcript)), panels)).toMatchObject({
        ...DECIDED,
        root: state.result?.transcript_root,
      });
      const { context } = await jury.world.engine.view('job_1');
      expect(projectPanelProofs(context as unknown as PanelContext, undefined)).toMatchObject([
        { kind: 30023, payload: { transcript_root: state.result?.transcript_root } },
      ]);
    },
  );

  test('is filled by the caller’s own agent, and goes on after a kill', async () => {
    const jury = await opened(shelf);
    await jury.begin('caller');
    const first = await jury.read();
    expect(first).toMatchObject({ status: 'needs_turns', phase: 'judging' });
    const stand = { position: 'yes', argument: 'a', confidence: 0.5 };
    const bring = async (answer: object) => {
      const turns = ((await jury.read()).needs_turns ?? []).map(({ turn_id }) => ({
        turn_id,
        answer: { ...answer },
      }));
      await supplyTurns(jury.deps(), 'job_1', turns);
      await jury.world.clock.advance(0);
    };
    await bring(stand);
    jury.world.crash();
    await jury.resume();
    await jury.world.clock.advance(0);
    expect(await jury.read()).toMatchObject({ phase: 'voting', turns_done: 3 });
    await bring({ ranking: ['No'], argument: 'v', confidence: 0.5 });
    expect(await jury.read()).toMatchObject({
      status: 'decided',
      result: { winner: { name: 'No' } },
    });
  });

  test('is cancelled, and the rest of the price is due', async () => {
    const jury = await opened(shelf, scriptedLlm({ say: () => 'hang' }));
    await jury.begin('llm');
    await cancelPanel(jury.deps(), 'job_1');
    await jury.world.clock.advance(100);
    const state = await jury.read();
    expect(state).toMatchObject({ status: 'cancelled', result: { refund: { amount: '0.50' } } });
    const verdict = verifyTranscript(await readTranscript(jury.deps(), 'job_1'), panels);
    expect(verdict).toMatchObject({ isValid: true, winner: null, cast: 0 });
  });

  test('is shown to a console by its own phases', async () => {
    const jury = await opened(shelf);
    await jury.begin('rule');
    await jury.world.clock.advance(1_000);
    const view = await jury.world.engine.view('job_1');
    const frame = createPanelView(juryPanel).frame({
      view,
      blobs: jury.blobs,
      turnTimes: new Map(),
    });
    expect(frame.phases).toEqual(['judgement', 'spread', 'vote', 'count', 'end']);
    expect(frame).toMatchObject({ title: 'Jury', phase: 'end', decision: { option: 'Yes' } });
  });
});
