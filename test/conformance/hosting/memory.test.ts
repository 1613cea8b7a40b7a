import { hostingWorld } from '../../support/hosting-world.ts';
import { hostingConformance } from './suite.ts';

hostingConformance('memory', async () => {
  const world = hostingWorld();
  const { provider, clock, workspaces } = world;
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
    breakNext: async (serviceId, step) => provider.failNext(serviceId, step, { nonZeroExit: 1 }),
    write: async (resource, lines) => {
      for (const { message, level = 'info', type = 'app', ...labels } of lines) {
        provider.log({ resource, type, level, ...labels }, message);
      }
    },
    close: () => provider.close(),
  };
});
