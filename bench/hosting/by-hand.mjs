// The same sample brought up by hand: clone, build command, start, first answer.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, sleep, stopChild } from '../lib/proc.mjs';
import { ask } from './host.mjs';

/** @returns Milliseconds from the clone to the first answer. */
export async function bringUpByHand(repository, { buildCommand, startCommand }) {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-bench-by-hand-'));
  const port = await freePort();
  const began = performance.now();
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${repository}`, folder]);
  execFileSync('sh', ['-c', buildCommand], { cwd: folder, stdio: 'ignore' });
  const child = spawn('sh', ['-c', startCommand], {
    cwd: folder,
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  try {
    while ((await ask(`http://127.0.0.1:${port}`)) !== 200) await sleep(5);
    return performance.now() - began;
  } finally {
    await stopChild(child);
    rmSync(folder, { recursive: true, force: true });
  }
}
