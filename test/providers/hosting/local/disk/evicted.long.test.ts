import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ended,
  keyValueOrder,
  servedService,
  webOrder,
} from '../../../../conformance/hosting/world.ts';
import { keyValueTest } from '../../../../support/hosting/key-value-rig.ts';
import { localWorld } from '../../../../support/hosting/local-world.ts';
import { respClient } from '../../../../support/resp-client.ts';

const TIMEOUT = { timeout: 180_000 };
const MIB = 1_048_576;
const BOUNDS = { lookMs: 100, measureMs: 200, reserve: { bytes: 0, files: 0 } };
const FILES = 100_000;
/** Up to 240 MiB, a MiB every few milliseconds, in the build and in the cache. */
const FILL = `for n in $(seq 120); do head -c ${MIB} /dev/zero >> filler; head -c ${MIB} /dev/zero >> "$HOME/filler"; sleep 0.05; done`;

test(
  'a build that takes more of the disk than its plan has fails with the reason, and leaves nothing; others serve on',
  TIMEOUT,
  async () => {
    const world = await localWorld({
      disk: { bounds: BOUNDS, capOf: async () => ({ bytes: 48 * MIB, files: FILES }) },
    });
    try {
      const { services, deploys, events } = world.provider;
      const neighbour = await servedService(world);
      expect(neighbour.deploy.status).toBe('live');
      const run = { runtime: 'node', buildCommand: FILL, startCommand: world.start } as const;
      const made = await services.create(webOrder(world, { name: 'filler', run }));
      const id = made.service.id;
      const deploy = await ended(world, id, made.deployId ?? '');
      expect(deploy).toMatchObject({
        status: 'build_failed',
        reason: { evicted: expect.stringMatching(/^disk quota exceeded: \d+ MiB of 48 MiB$/) },
      });
      const { items } = await events.list({ serviceId: id, types: ['build_ended'], limit: 10 });
      expect(JSON.stringify(items)).toContain('disk quota exceeded: ');
      const folder = join(world.folder, 'hosting/local/services', id);
      expect(existsSync(join(folder, 'cache', 'filler'))).toBe(false);
      expect(existsSync(join(folder, 'releases', deploy.id))).toBe(false);
      const still = await deploys.get(neighbour.service.id, neighbour.deploy.id);
      expect(still.status).toBe('live');
    } finally {
      await world.close();
    }
  },
);

keyValueTest(
  'a Key Value whose journal takes more than its disk is ended, and its record says why',
  TIMEOUT,
  async () => {
    let capBytes = 1_024 * MIB;
    const world = await localWorld({
      disk: { bounds: BOUNDS, capOf: async () => ({ bytes: capBytes, files: FILES }) },
    });
    try {
      const { keyValue } = world.provider;
      const order = keyValueOrder(world, { persistenceMode: 'journal_snapshot' });
      const { id } = await keyValue.create(order);
      const isUp = async () => (await keyValue.get(id)).status === 'available';
      await world.until(isUp, 'the instance');
      const client = await respClient((await keyValue.connection(id)).internal);
      for (let at = 0; at < 8; at += 1) await client.ask('SET', `k${at}`, 'x'.repeat(MIB));
      client.close();
      capBytes = 4 * MIB;
      await world.until(async () => !(await isUp()), 'its end');
      expect((await keyValue.get(id)).reason).toMatch(/^disk quota exceeded: \d+ MiB of 4 MiB/);
      capBytes = 1_024 * MIB;
      await world.until(isUp, 'the instance to come back');
      const again = await respClient((await keyValue.connection(id)).internal);
      expect(await again.ask('STRLEN', 'k0')).toBe(MIB);
      again.close();
    } finally {
      await world.close();
    }
  },
);
