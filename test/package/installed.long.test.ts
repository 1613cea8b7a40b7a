import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { built } from '../support/built.ts';
import { tempDir } from '../support/temp-dir.ts';
import { pack } from './packed.ts';

const run = promisify(execFile);
const MIB = 1024 * 1024;
const INSTALL = ['install', '--no-audit', '--no-fund', '--loglevel=error'];

const dir = tempDir();
beforeAll(async () => {
  await built();
}, 240_000);

/** An empty project with these packages, installed by npm from the registry. */
async function install(name: string, ...packages: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(dir.path, `${name}-`));
  writeFileSync(join(folder, 'package.json'), '{"type": "module", "private": true}');
  await run('npm', [...INSTALL, ...packages], { cwd: folder, timeout: 400_000 });
  return folder;
}

function packagesOf(folder: string): readonly string[] {
  const out = execFileSync('npm', ['ls', '--all', '--parseable'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return out.trim().split('\n').slice(1);
}

test('the runtime installs with xstate and lmdb in 30 MiB and 25 packages', async () => {
  const archive = await pack('runtime', dir.path);
  const folder = await install('runtime', join(dir.path, archive), 'xstate', 'lmdb');
  const used = execFileSync('du', ['-sb', 'node_modules'], { cwd: folder, encoding: 'utf8' });
  expect(Number.parseInt(used, 10)).toBeLessThanOrEqual(30 * MIB);
  expect(packagesOf(folder).length).toBeLessThanOrEqual(25);
  const source = `
import { setup } from 'xstate';
import { createEngine, define, memoryStore, systemClock } from '@stoa/runtime';
import { buildMachineGraph, drawChart, drawMermaid } from '@stoa/runtime/charts';
import { inspectActors } from '@stoa/runtime/inspector';
await import('@stoa/runtime/lmdb');
await import('@stoa/runtime/testing');
const machine = setup({}).createMachine({
  id: 'light', initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: {} },
});
const light = define({ kind: 'light', version: 1, machine, effects: {} });
const store = memoryStore();
const engine = await createEngine({ store, clock: systemClock(), definitions: [light] });
const seen = [];
inspectActors(engine, ({ type, sessionId, snapshot }) => seen.push([type, sessionId, snapshot?.value]));
await engine.create('light', 'a');
await engine.tell('a', { type: 'PRESS' });
await engine.close();
const named = { kind: 'light', version: 1, title: 'Light', machine };
const chart = drawMermaid(buildMachineGraph(named)).split('\\n')[0];
const svg = (await drawChart(named)).slice(0, 4);
process.stdout.write(JSON.stringify({ seen, chart, svg }));
`;
  writeFileSync(join(folder, 'use.mjs'), source);
  const { stdout } = await run(process.execPath, ['use.mjs'], { cwd: folder, timeout: 60_000 });
  expect(JSON.parse(stdout)).toEqual({
    seen: [
      ['@xstate.actor', 'a', 'off'],
      ['@xstate.event', 'a', null],
      ['@xstate.snapshot', 'a', 'off'],
      ['@xstate.event', 'a', null],
      ['@xstate.snapshot', 'a', 'on'],
    ],
    chart: 'stateDiagram-v2',
    svg: '<svg',
  });
}, 500_000);
