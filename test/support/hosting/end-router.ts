import { existsSync } from 'node:fs';
import { controlPath } from '../../../src/process/hosting/hosting-router.ts';
import { RouterClient } from '../../../src/process/hosting/router-client.ts';

const LOOK_MS = 20;
const LONGEST_MS = 40_000;

/** Ends the router of a folder, and waits until its process is gone. */
export async function endRouter(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const line = await RouterClient.connect(controlPath(folder));
  if (line === undefined) return;
  const { pid = 0 } = await line.send({ do: 'state' });
  await line.send({ do: 'stop' });
  const end = Date.now() + LONGEST_MS;
  while (isAlive(pid)) {
    if (Date.now() > end) process.kill(pid, 'SIGKILL');
    await new Promise((done) => setTimeout(done, LOOK_MS));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
