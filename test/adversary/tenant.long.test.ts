import { afterAll, expect, test } from 'vitest';
import { cleanUp } from '../support/real-server.ts';
import { type Attempt, search, searchMs } from './search.ts';
import { hostileProgram } from './tenant-programs.ts';
import { type Asked, hostileRequest } from './tenant-requests.ts';
import { playHostileSite } from './tenant-trees.ts';
import { LACKS, type TenantWorld, tenantWorld } from './tenant-world.ts';

const TIMEOUT = { timeout: searchMs() * 2 + 240_000 };
const ROUNDS_MIN = 12;
/** One attempt of so many deploys something. */
const SITE_ROUNDS = 12;
const REQUESTS = 8;
/** Longest time for a request that was refused or answered, in milliseconds. */
const ANSWER_MS = 15_000;

afterAll(cleanUp);

test(
  'a hostile tenant reads, changes and keeps nothing of the server or of others',
  TIMEOUT,
  async () => {
    if (LACKS.length > 0) {
      process.stdout.write(`tenant: no programs against others: it lacks ${LACKS.join(', ')}\n`);
    }
    await using world = await tenantWorld();
    const played = await search('tenant', (attempt) => play(world, attempt), {
      roundsMin: ROUNDS_MIN,
    });
    process.stdout.write(`${played} attempts\n`);
    // What runs programs goes last, with all that they have left.
    await world.removed(world.runner.id);
  },
);

async function play(world: TenantWorld, attempt: Attempt): Promise<void> {
  if (attempt.round % SITE_ROUNDS === 1) {
    const { said, what } = await playHostileSite(world, attempt);
    return world.check(said, what);
  }
  if (attempt.round % 3 === 2) {
    for (let at = 0; at < REQUESTS; at += 1) {
      const asked = hostileRequest(world.targets, attempt);
      const what = JSON.stringify(asked).slice(0, 4_000);
      await world.check(await playRequest(world, asked, what), what);
    }
    return;
  }
  const program = hostileProgram(world.targets, attempt, LACKS.length === 0 ? 'others' : 'own');
  const said = await world.run(program);
  const resource = [world.runner.id];
  const { logs } = await world.client.call('list_logs', { resource, limit: 100 });
  await world.check(`${said}\n${JSON.stringify(logs)}`, program);
}

/** Sends a request: it is answered or refused in time, and never fails for a reason of ours. */
async function playRequest(world: TenantWorld, asked: Asked, what: string): Promise<string> {
  const begun = performance.now();
  if ('tool' in asked) {
    const said = await world.client.call(asked.tool, asked.args).then(
      (value) => JSON.stringify(value),
      (refused: Error) => refused.message,
    );
    expect(said, what).not.toMatch(/\bINTERNAL\b/);
    expect(performance.now() - begun, what).toBeLessThan(ANSWER_MS);
    return said;
  }
  const { status, text } = await world.ask(asked.method, asked.path, asked.body);
  expect(performance.now() - begun, what).toBeLessThan(ANSWER_MS);
  expect([status, status < 500 ? '' : text], what).toEqual([status, '']);
  // The console is the operator's alone.
  expect(status, what).toBeGreaterThanOrEqual(400);
  return text;
}
