import { test } from 'vitest';
import { localWorld } from '../../support/hosting/local-world.ts';
import { memoryDatabases } from '../../support/hosting/memory-databases.ts';
import { databaseClaims } from './databases.ts';
import { sqlClaims } from './sql.ts';
import type { HostingWorld } from './world.ts';

/** Each claim has servers of its own; Key Value instances are records in memory here. */
function claim(what: string, run: (world: HostingWorld) => Promise<void>): void {
  test(`local: ${what}`, { timeout: 300_000 }, async () => {
    const { keyValue } = memoryDatabases();
    const world = await localWorld({ databaseHosts: { keyValue } });
    try {
      await run(world);
    } finally {
      await world.close();
    }
  });
}

for (const [what, run] of Object.entries(databaseClaims)) claim(what, run);
sqlClaims(claim);
