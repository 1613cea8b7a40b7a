import { expect, test } from 'vitest';
import { readPanelResource } from '../../../src/tools/panel/panel-resource.ts';
import { panelWorld } from '../../support/panel-world.ts';
import { type ScriptedCall, scriptedLlm } from '../../support/scripted-llm.ts';

const say = ({ phase, modelId }: ScriptedCall) => {
  const choice = modelId.includes('claude') ? 'o2' : 'o1';
  return phase === 'vote' ? { ranking: [choice] } : { position: choice };
};

test('a transcript is readable during the debate and after it, by whoever holds the id', async () => {
  let isHung = true;
  const world = await panelWorld(
    scriptedLlm({ say: (call) => (isHung && call.phase === 'vote' ? 'hang' : say(call)) }),
  );
  const jobId = await world.start();
  await world.clock.advance(1_000);
  const uri = `panel://${jobId}/transcript`;
  const early = await readPanelResource(world.deps(), uri);
  expect(JSON.parse(early?.text ?? '')).toMatchObject({ is_final: false, root: null });
  isHung = false;
  await world.restart();
  await world.finish(jobId);
  const late = await readPanelResource(world.deps(), uri);
  expect(JSON.parse(late?.text ?? '')).toMatchObject({ is_final: true, job_id: jobId });
});

test('other addresses and ids name nothing', async () => {
  const world = await panelWorld(scriptedLlm({ say }));
  await world.start();
  for (const uri of [
    'panel://job_9/transcript',
    'panel://pay_1/transcript',
    'panel://job_1',
    'x',
  ]) {
    expect(await readPanelResource(world.deps(), uri)).toBeUndefined();
  }
});
