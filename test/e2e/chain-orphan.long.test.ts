import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { cleanUp, freshDataDir, startRealServer } from '../support/real-server.ts';

afterAll(cleanUp);

test('the node of a server that was killed ends by itself, and one that is used again does not', {
  timeout: 120_000,
}, async () => {
  const [left, taken] = [
    await startRealServer(freshDataDir()),
    await startRealServer(freshDataDir()),
  ];
  const orphan = nodeOf(left.dataDir);
  await Promise.all([left.kill(), taken.kill()]);
  expect(isRunning(orphan)).toBe(true);
  const { dataDir } = await startRealServer(taken.dataDir);
  const used = nodeOf(dataDir);
  await vi.waitFor(() => expect(isRunning(orphan)).toBe(false), { timeout: 40_000, interval: 200 });
  await new Promise((done) => setTimeout(done, 2_000));
  expect(isRunning(used)).toBe(true);
});

function nodeOf(dataDir: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'chain', 'anvil.json'), 'utf8')).pid;
}

/** A process that has ended stays listed until its parent asks. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (!existsSync('/proc/self/stat')) return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
  } catch {
    return false;
  }
}
