import { test } from 'vitest';
import { localWorld } from '../../support/hosting/local-world.ts';
import { databaseClaims } from './databases.ts';
import { sqlClaims } from './sql.ts';
import type { HostingWorld } from './world.ts';

const OF_KEY_VALUE = /a Key Value/;

/** Each claim has servers of its own. */
function claim(what: string, run: (world: HostingWorld) => Promise<void>): void {
  test(`local Postgres: ${what}`, { timeout: 300_000 }, async () => {
    const world = await localWorld();
    try {
      await run({ ...world, provider: world.provider, databases: ['postgres'] });
    } finally {
      await world.close();
    }
  });
}

for (const [what, run] of Object.entries(databaseClaims)) {
  if (!OF_KEY_VALUE.test(what)) claim(what, run);
}
sqlClaims(claim);
