import { test } from 'vitest';
import { createRestHosting } from '../../../src/providers/hosting/rest/rest-hosting.ts';
import { startFront, TOKEN } from '../../support/front-rig.ts';
import { localWorld } from '../../support/hosting/local-world.ts';
import { realClock } from '../../support/real-clock.ts';
import { databaseClaims } from './databases.ts';
import { deployClaims } from './deploys.ts';
import { logClaims } from './logs.ts';
import { metricClaims } from './metrics.ts';
import { serviceClaims } from './services.ts';
import { settingClaims } from './settings.ts';
import { sqlClaims } from './sql.ts';
import type { HostingWorld } from './world.ts';

/** What is behind the API here is a machine that builds and runs, with real databases. */
const CLAIMS = {
  ...serviceClaims,
  ...settingClaims,
  ...deployClaims,
  ...logClaims,
  ...metricClaims,
  ...databaseClaims,
};

function claim(what: string, run: (world: HostingWorld) => Promise<void>): void {
  test(`rest before local: ${what}`, { timeout: 600_000 }, async () => {
    const world = await localWorld();
    const { front, baseUrl } = await startFront('node', {
      hostingApi: { provider: world.provider, clock: realClock, isReadOnly: false },
      limits: { closeGraceMs: 20 },
    });
    const provider = createRestHosting({ url: baseUrl, token: TOKEN });
    try {
      await run({ ...world, provider });
    } finally {
      await provider.close();
      await front.close();
      await world.close();
    }
  });
}

for (const [what, run] of Object.entries(CLAIMS)) claim(what, run);
sqlClaims(claim);
