// A target of audits as a child of whoever audits it: one of the tests' own, without its fault, in
// ten seeded variants. It tells its address, and serves the text that it is told to.

import { fork } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { joinModules } from '../../scripts/bundle.mjs';
import { stopChild } from '../lib/proc.mjs';

const SOURCE = fileURLToPath(
  new URL('../../test/support/targets/start-target.ts', import.meta.url),
);
const FAULT = fileURLToPath(
  new URL('../../test/support/targets/faults/code-evaluation.ts', import.meta.url),
);
const OUT = fileURLToPath(new URL('../out/target/', import.meta.url));
const SEED = 5;
const READY_MS_MAX = 20_000;

/** Joins the target's sources into files that Node runs. */
export async function buildTarget() {
  mkdirSync(`${OUT}chunks`, { recursive: true });
  const output = await joinModules({ start: SOURCE, fault: FAULT });
  for (const { fileName, code } of output) writeFileSync(`${OUT}${fileName}`, code);
}

/** Starts the target in a process of its own. */
export async function startTarget() {
  const child = fork(fileURLToPath(import.meta.url), [], { env: { ...process.env, TARGET: '1' } });
  const url = await next(child);
  return {
    url,
    serve: async (text) => {
      child.send(text);
      await next(child);
    },
    stop: () => stopChild(child),
  };
}

function next(child) {
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(() => reject(new Error('no target in time')), READY_MS_MAX);
    child.once('message', (told) => {
      clearTimeout(overdue);
      resolve(told);
    });
    child.once('exit', () => reject(new Error('the target ended')));
  });
}

if (process.env.TARGET === '1' && process.send !== undefined) {
  const { startTarget: start } = await import(`${OUT}start.js`);
  const { codeEvaluation } = await import(`${OUT}fault.js`);
  const running = await start(codeEvaluation, { seed: SEED, fixed: true });
  process.on('message', (text) => {
    running.serveWellKnown('stoa-audit.txt', text);
    process.send('served');
  });
  process.once('disconnect', () => process.exit(0));
  process.send(running.url);
}
