import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { readTranscript } from '../../src/actors/panel/panel-state.ts';
import { runCommand } from '../../src/cli/program.ts';
import { goodFacts, startCouncil } from '../support/council.ts';
import { panelWorld } from '../support/panel-world.ts';
import { scriptedLlm } from '../support/scripted-llm.ts';
import { tempDir } from '../support/temp-dir.ts';
import { refusalOf } from '../support/tool-answers.ts';

const folder = tempDir();
afterAll(() => folder.remove());

async function transcript() {
  const world = await panelWorld(scriptedLlm({ families: [], say: () => 'hang' }));
  const facts = { ...goodFacts(), data: { ...goodFacts().data, dpa_signed: false } };
  const jobId = await startCouncil(world, { facts });
  await world.finish(jobId);
  return readTranscript(world.deps(), jobId);
}

/** Runs the command on a file with this value; gives its code and what it printed. */
async function told(value: unknown, ...flags: readonly string[]) {
  const file = join(folder.path, 'transcript.json');
  writeFileSync(file, JSON.stringify(value));
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(...String(text).trimEnd().split('\n'));
    return true;
  });
  const code = await runCommand(['verify', file, ...flags]).finally(() => write.mockRestore());
  return { code, lines };
}

test('stoa verify recomputes the decision of a council from its transcript', async () => {
  const whole = await transcript();
  const { code, lines } = await told(whole);
  expect(code).toBe(0);
  expect(lines[0]).toBe('yes: the decision of council job_1 follows from its 10 turns');
  expect(lines[1]).toBe('Recomputed from 5 ballots: approve_with_conditions (majority).');
  expect(lines[2]).toContain(`Root ${whole.root}`);
  const compared = await told(whole, '--root', whole.root ?? '');
  expect(compared.lines[2]).toBe('The root is the one you passed.');
});

test('it says no to another root, and to a transcript that was changed', async () => {
  const whole = await transcript();
  const other = await told(whole, '--root', 'a'.repeat(64));
  expect(other).toEqual({ code: 1, lines: [`no: its root is ${whole.root}`] });
  const changed = await told({ ...whole, ballots: [] });
  expect(changed.code).toBe(1);
  expect(changed.lines[0]).toMatch(/^no: /);
});

test('a root that is none is refused before anything is read of it', async () => {
  const refusal = await refusalOf(async () => told(await transcript(), '--root', 'abc'));
  expect(refusal).toMatchObject({ code: 'CONFIG_INVALID' });
});
