import { test } from 'vitest';
import { databaseClaims } from './databases.ts';
import { deployClaims } from './deploys.ts';
import { logClaims } from './logs.ts';
import { metricClaims } from './metrics.ts';
import { serviceClaims } from './services.ts';
import { settingClaims } from './settings.ts';
import { sqlClaims } from './sql.ts';
import type { HostingWorld } from './world.ts';

/** States a claim about a provider. */
export type Claim = (name: string, run: (world: HostingWorld) => Promise<void>) => void;

/** Claims about a provider, by what they say. */
export type Claims = Readonly<Record<string, (world: HostingWorld) => Promise<void>>>;

const CLAIMS: Claims = {
  ...serviceClaims,
  ...settingClaims,
  ...deployClaims,
  ...logClaims,
  ...metricClaims,
  ...databaseClaims,
};

/**
 * What every provider of hosting keeps to.
 *
 * @param open - Makes a fresh world; asked once for each claim.
 * @param timeoutMs - How long one claim may take.
 */
export function hostingConformance(
  name: string,
  open: () => Promise<HostingWorld>,
  timeoutMs = 20_000,
): void {
  const claim: Claim = (what, run) => {
    test(`${name}: ${what}`, { timeout: timeoutMs }, async () => {
      const world = await open();
      try {
        await run(world);
      } finally {
        await world.close();
      }
    });
  };
  for (const [what, run] of Object.entries(CLAIMS)) claim(what, run);
  sqlClaims(claim);
}
