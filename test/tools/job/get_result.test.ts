import { expect, test } from 'vitest';
import { DebateRequest } from '../../../src/domain/debate/request.ts';
import { debateTool } from '../../../src/tools/debate/deliberation_multi-agent-debate.ts';
import { getResultTool } from '../../../src/tools/job/get_result.ts';
import { panelWorld, toolContext } from '../../support/panel-world.ts';
import { proves } from '../../support/proves.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';
import { drive, poll, refusalOf, stateOf, textOf } from '../../support/tool-answers.ts';

const question = { question: 'Which store?', options: ['Alpha', 'Bravo', 'Charlie'] };
const say = ({ phase, modelId }: ScriptedCall) => {
  const choice = modelId.includes('claude') ? 'o2' : 'o1';
  return phase === 'vote' ? { ranking: [choice] } : { position: choice };
};
const noModels = () => scriptedLlm({ families: [], say });

test('answers JOB_UNKNOWN for an id that names nothing, or no job', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  await world.start();
  const tool = getResultTool(world.deps());
  for (const job_id of ['job_2', 'pay_1']) {
    const ask = () => tool.run({ job_id, wait_s: 0, cancel: false }, toolContext().context);
    expect((await refusalOf(ask)).code).toBe('JOB_UNKNOWN');
  }
});

test('a bought debate is polled by its job id until it is decided', async () => {
  proves('C2.t10', 'C4.1.i3', 'C4.3.t1');
  const world = await panelWorld(scriptedLlm({ say }));
  const jobId = await world.start();
  const early = stateOf(await poll(world, jobId));
  expect(early).toMatchObject({ job_id: jobId, status: 'working' });
  const tool = getResultTool(world.deps());
  const ask = tool.run({ job_id: jobId, wait_s: 20, cancel: false }, toolContext().context);
  const late = stateOf(await drive(world, ask));
  expect(late).toMatchObject({ job_id: jobId, status: 'decided' });
  expect(late.result?.winner?.name).toBe('Alpha');
  expect(stateOf(await poll(world, jobId))).toEqual(late);
});

test('cancels, and the answer names the refund', async () => {
  const world = await panelWorld(scriptedLlm({ say: () => 'hang' }));
  const jobId = await world.start();
  await world.clock.advance(1_000);
  const tool = getResultTool(world.deps());
  const ask = tool.run({ job_id: jobId, wait_s: 20, cancel: true }, toolContext().context);
  const result = await drive(world, ask);
  expect(stateOf(result).status).toBe('cancelled');
  expect(textOf(result)).toContain('Refund due: $2.00');
});

const answers = {
  opening: (n: number) => ({ position: n < 3 ? 'o1' : 'Bravo', argument: 'a', confidence: 0.6 }),
  vote: () => ({ ranking: ['o1', 'o2', 'o3'], argument: 'v', confidence: 0.8 }),
};

test('turns of the caller are brought in every phase through get_result, labelled as one family', async () => {
  const world = await panelWorld(noModels());
  const jobId = await world.start({ seats_by: 'caller', max_rounds: 1 });
  await world.clock.advance(0);
  const first = stateOf(await poll(world, jobId));
  expect(first.status).toBe('needs_turns');
  const ids = first.needs_turns?.map((turn) => turn.turn_id);
  expect(ids).toEqual([0, 1, 2, 3, 4].map((n) => `opening.0.s${n}`));
  await poll(
    world,
    jobId,
    ids?.map((turn_id, n) => ({ turn_id, answer: answers.opening(n) })),
  );
  const second = stateOf(await poll(world, jobId));
  expect(second.phase).toBe('rebuttal');
  expect(second.needs_turns?.[0]?.prompt).toContain('kind="peer" label="A"');
  await world.restart();
  await poll(
    world,
    jobId,
    stateOf(await poll(world, jobId)).needs_turns?.map(({ turn_id }, n) => ({
      turn_id,
      answer: JSON.stringify(answers.opening(n)),
    })),
  );
  const third = stateOf(await poll(world, jobId));
  expect(third.phase).toBe('voting');
  const last = await poll(
    world,
    jobId,
    third.needs_turns?.map(({ turn_id }) => ({ turn_id, answer: answers.vote() })),
  );
  await world.clock.advance(0);
  const end = stateOf(await poll(world, jobId));
  expect(stateOf(last).turns_done).toBe(15);
  expect(end).toMatchObject({ status: 'decided', mode: 'caller', families: 1 });
  expect(end.result?.winner?.name).toBe('Alpha');
  expect(end.result?.limits[0]).toContain("caller's own agent");
  expect(await world.paid()).toEqual([{ type: 'WORK.DONE' }]);
});

test('with any fault no turn is taken and each fault is named', async () => {
  const world = await panelWorld(noModels());
  const jobId = await world.start({ seats_by: 'caller' });
  await world.clock.advance(0);
  const refusal = await refusalOf(() =>
    poll(world, jobId, [
      { turn_id: 'opening.0.s0', answer: answers.opening(0) },
      { turn_id: 'opening.0.s1', answer: { position: 'Zulu', argument: 'a', confidence: 0.5 } },
      { turn_id: 'opening.0.s2', answer: 'no object here' },
      { turn_id: 'vote.0.s3', answer: answers.vote() },
      { turn_id: 'opening.0.s0', answer: answers.opening(0) },
    ]),
  );
  expect(refusal.code).toBe('AGENT_TURNS_REFUSED');
  expect(refusal.data['faults']).toEqual([
    { turn_id: 'opening.0.s1', faults: ['position: "Zulu" is none of o1, o2, o3'] },
    { turn_id: 'opening.0.s2', faults: ['the text holds no JSON object'] },
    { turn_id: 'vote.0.s3', faults: ['no open turn has this id'] },
    { turn_id: 'opening.0.s0', faults: ['the turn is supplied twice'] },
  ]);
  expect(stateOf(await poll(world, jobId)).turns_done).toBe(0);
});

test('some turns may come now and others later', async () => {
  const world = await panelWorld(noModels());
  const jobId = await world.start({ seats_by: 'caller' });
  await world.clock.advance(0);
  await poll(world, jobId, [{ turn_id: 'opening.0.s3', answer: answers.opening(3) }]);
  const state = stateOf(await poll(world, jobId));
  expect(state.turns_done).toBe(1);
  expect(state.needs_turns?.map((turn) => turn.turn_id)).not.toContain('opening.0.s3');
  const again = () => poll(world, jobId, [{ turn_id: 'opening.0.s3', answer: answers.opening(3) }]);
  expect((await refusalOf(again)).code).toBe('AGENT_TURNS_REFUSED');
});

test('the answer in text shows equal prompts once', async () => {
  const world = await panelWorld(noModels());
  const jobId = await world.start({ seats_by: 'caller' });
  const { context } = toolContext({ jobId });
  const run = debateTool(world.deps()).run(DebateRequest.parse(question), context);
  const text = textOf(await drive(world, run));
  expect(text.split('\n')[0]).toBe('Your turn: 5 turns are needed (opening, 0 of 15 turns).');
  expect(text.match(/--- opening/g)).toHaveLength(1);
});
