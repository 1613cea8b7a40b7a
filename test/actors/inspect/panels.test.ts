import { expect, test } from 'vitest';
import type { LlmPort } from '../../../src/domain/llm/llm.ts';
import { inspectorOf, until, Watcher } from '../../support/inspected.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { realClock } from '../../support/real-clock.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';
import { tillRecorder } from '../../support/till.ts';

function say({ phase, modelId }: ScriptedCall) {
  const choice = /gpt|claude|llama/.test(modelId) ? 'o1' : 'o2';
  return phase === 'vote' ? { ranking: [choice] } : { position: choice };
}

test('a panel is told live, phase by phase, and reads the same for who comes after it', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  const inspector = inspectorOf({ ...world.deps(), pushClock: realClock });
  const jobId = await world.start({ max_rounds: 1 });
  const live = await Watcher.on(inspector, { name: 'panel', actorId: jobId });
  await until(() => live.frames('panel').length > 0, 'a first frame');
  await world.finish(jobId);
  await until(() => live.frames('panel').at(-1)?.status === 'done', 'the end');
  const late = await Watcher.on(inspector, { name: 'panel', actorId: jobId });
  await until(() => late.frames('panel').length > 0, 'a frame');
  const frame = late.frames('panel')[0];
  expect(live.frames('panel').at(-1)).toEqual(frame);
  expect(frame).toMatchObject({
    question: 'Which store should hold the events?',
    options: ['Alpha', 'Bravo', 'Charlie'],
    phase: 'end',
    phases: ['opening', 'rebuttal 1', 'vote', 'count', 'end'],
    tally: [
      { option: 'Alpha', score: '3 of 5', detail: 'wins by a majority of first choices' },
      { option: 'Bravo', score: '2 of 5' },
      { option: 'Charlie', score: '0 of 5' },
    ],
    decision: {
      option: 'Alpha',
      how: 'by a majority of first choices',
      isForced: false,
      dissent: [
        { seat: 'D', text: 'because of vote' },
        { seat: 'E', text: 'because of vote' },
      ],
    },
    cost: { microUsd: '15000', tokensIn: 1_500, tokensOut: 750, turns: 15 },
  });
  expect(frame?.turns).toHaveLength(15);
  expect(frame?.turns[0]).toMatchObject({
    phase: 'opening',
    isOk: true,
    text: 'because of opening',
  });
  expect(frame?.ballots.map(({ ranking }) => ranking[0])).toEqual([
    'Alpha',
    'Alpha',
    'Alpha',
    'Bravo',
    'Bravo',
  ]);
  const texts = JSON.stringify({ ...frame, seats: [] });
  expect(texts).not.toMatch(/gpt|claude|mistral/);
  expect(frame?.seats[0]).toMatchObject({ seat: 'A', filledBy: 'openai:gpt-x', state: 'spoken' });
  live.end();
  late.end();
});

test('votes stay secret until the count', async () => {
  const hanging = scriptedLlm({
    say: (call) => (call.phase === 'vote' && call.modelId.includes('mistral') ? 'hang' : say(call)),
  });
  const world = await panelWorld(hanging);
  const inspector = inspectorOf({ ...world.deps(), pushClock: realClock });
  const jobId = await world.start({ max_rounds: 1 });
  for (let step = 0; step < 100 && hanging.open() === 0; step += 1) await world.clock.advance(100);
  const watcher = await Watcher.on(inspector, { name: 'panel', actorId: jobId });
  await until(() => watcher.frames('panel').length > 0, 'a frame');
  const frame = watcher.frames('panel')[0];
  expect(frame).toMatchObject({ phase: 'vote', status: 'active', tally: null, ballots: [] });
  const votes = frame?.turns.filter(({ phase }) => phase === 'vote');
  expect(votes?.map(({ text }) => text)).toEqual(['', '', '', '']);
  expect(frame?.seats.map(({ state }) => state)).toEqual([
    'spoken',
    'spoken',
    'spoken',
    'spoken',
    'speaking',
  ]);
  watcher.end();
});

test('what a seat says right now is told under its letter, but never a vote', async () => {
  const scripted = scriptedLlm({ say });
  const speaking: LlmPort = {
    ...scripted,
    complete: async (request) => {
      for (const part of ['Let me ', 'think.']) request.onDelta?.(part);
      return scripted.complete(request);
    },
  };
  const world = await panelWorld(speaking);
  const inspector = inspectorOf({ ...world.deps(), pushClock: realClock });
  const starting = world.start({ max_rounds: 1 });
  const jobId = await starting;
  const watcher = await Watcher.on(inspector, { name: 'panel', actorId: jobId });
  await world.finish(jobId);
  await until(() => watcher.shown.length > 0, 'somebody speaks');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(watcher.shown[0]).toMatchObject({ type: 'speech', seat: 'A', text: 'Let me think.' });
  expect(new Set(watcher.shown.map(({ phase }) => phase))).not.toContain('vote');
  expect(JSON.stringify(watcher.shown)).not.toContain(jobId);
  watcher.end();
});

test('a list of panels tells question and decision, and leaves out what is no panel', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  const inspector = inspectorOf({ ...world.deps(), pushClock: realClock });
  const jobId = await world.start({ max_rounds: 1 });
  await world.engine.create('till', 'till/1');
  const actorIds = [jobId, 'till/1', 'job_gone', jobId];
  const line = {
    id: jobId,
    title: 'Debate',
    question: 'Which store should hold the events?',
    decision: null,
  };
  expect(await inspector.read({ name: 'panels', actorIds })).toEqual({ panels: [line] });
  await world.finish(jobId);
  expect(await inspector.read({ name: 'panels', actorIds })).toEqual({
    panels: [{ ...line, decision: 'Alpha' }],
  });
});

test('an actor that is no panel is refused by name', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  await world.engine.create('till', 'till/1');
  const refused = inspectorOf(world.deps()).subscribe(
    { name: 'panel', actorId: 'till/1' },
    { push: () => true },
  );
  await expect(refused).rejects.toMatchObject({
    code: 'NOT_A_PANEL',
    data: { received: tillRecorder.kind, allowed: ['debate', 'council', 'arbitration'] },
  });
});

test('a copy of a debate is nobody’s job', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start();
  const inspector = inspectorOf({ ...world.deps(), actions: ['fork'] });
  const forked = await inspector.act({ name: 'fork', actorId: jobId, atSeq: 1 }, 'anna');
  const { id } = forked as { id: string };
  const { readPanelJob: viewPanel } = await import('../../../src/actors/panel/panel-view.ts');
  await expect(viewPanel(world.engine, id)).rejects.toMatchObject({ code: 'JOB_UNKNOWN' });
  expect((await world.engine.view(id)).timers).toEqual([]);
});
