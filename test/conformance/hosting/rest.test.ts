import { createRestHosting } from '../../../src/providers/hosting/rest/rest-hosting.ts';
import { ENGINES } from '../../support/engines.ts';
import { startFront, TOKEN } from '../../support/front-rig.ts';
import { hostingWorld } from '../../support/hosting-world.ts';
import { hostingConformance } from './suite.ts';

// A second host is driven over its API, on a real front: what the provider behind it keeps to must
// come through, on both engines.
for (const engine of ENGINES) {
  hostingConformance(
    `rest over ${engine}`,
    async () => {
      const { provider: behind, clock, workspaces } = hostingWorld();
      const { front, baseUrl } = await startFront(engine, {
        hostingApi: { provider: behind, clock, isReadOnly: false },
        limits: { closeGraceMs: 20 },
      });
      const provider = createRestHosting({ url: baseUrl, token: TOKEN });
      return {
        provider,
        workspaces: [workspaces[0].id, workspaces[1].id],
        repo: 'https://git.example/shop',
        start: 'node server.js',
        runsSql: false,
        now: () => clock.now(),
        until: async (claim, what) => {
          for (let tries = 0; tries < 1_000; tries += 1) {
            if (await claim()) return;
            await clock.advance(500);
          }
          throw new Error(`it never came: ${what}`);
        },
        breakNext: async (serviceId, step) => behind.failNext(serviceId, step, { nonZeroExit: 1 }),
        write: async (resource, lines) => {
          for (const { message, level = 'info', type = 'app', ...labels } of lines) {
            behind.log({ resource, type, level, ...labels }, message);
          }
        },
        close: async () => {
          await provider.close();
          await front.close();
          await behind.close();
        },
      };
    },
    60_000,
  );
}
