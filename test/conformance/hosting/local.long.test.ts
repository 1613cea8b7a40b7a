import { test } from 'vitest';
import { localWorld } from '../../support/hosting/local-world.ts';
import { deployClaims } from './deploys.ts';
import { logClaims } from './logs.ts';
import { metricClaims } from './metrics.ts';
import { serviceClaims } from './services.ts';
import { settingClaims } from './settings.ts';

/** Claims about services on this machine; those about its databases take longer. */
const CLAIMS = {
  ...serviceClaims,
  ...settingClaims,
  ...deployClaims,
  ...logClaims,
  ...metricClaims,
};

test.each(Object.entries(CLAIMS))('local: %s', { timeout: 300_000 }, async (_what, run) => {
  const world = await localWorld();
  try {
    await run(world);
  } finally {
    await world.close();
  }
});
