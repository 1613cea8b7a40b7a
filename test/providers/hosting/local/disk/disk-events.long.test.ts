import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { servedService } from '../../../../conformance/hosting/world.ts';
import { localWorld } from '../../../../support/hosting/local-world.ts';

const TIMEOUT = { timeout: 180_000 };
const MIB = 1_048_576;
const BOUNDS = { lookMs: 50, measureMs: 100, reserve: { bytes: 0, files: 0 } };
const ROOM = { bytes: 40 * MIB, files: 10_000 };
/** More measurings than one follow in it. */
const WHILE_MS = 1_500;

test(
  'a disk that fills is told once, over a restart too, and once that it recovered, while nothing runs',
  TIMEOUT,
  async () => {
    const world = await localWorld({ disk: { bounds: BOUNDS, capOf: async () => ROOM } });
    const told = async (serviceId: string) => {
      const types = ['service_disk_usage_high', 'service_disk_usage_recovered'] as const;
      const { items } = await world.provider.events.list({ serviceId, types, limit: 100 });
      return items.map(({ item }) => item).reverse();
    };
    try {
      const { id } = (await servedService(world)).service;
      await new Promise((resolve) => setTimeout(resolve, WHILE_MS));
      expect(await told(id)).toEqual([]);
      const filler = join(world.folder, 'hosting/local/services', id, 'cache', 'filler');
      writeFileSync(filler, Buffer.alloc(34 * MIB, 1));
      await world.until(async () => (await told(id)).length > 0, 'the event of a high disk');
      await world.reopen();
      const { seq } = await world.engine.view(id);
      await new Promise((resolve) => setTimeout(resolve, WHILE_MS));
      // Measurings that change nothing leave its journal as it is.
      expect((await world.engine.view(id)).seq).toBe(seq);
      const [high, ...more] = await told(id);
      expect(more).toEqual([]);
      expect(high).toMatchObject({
        type: 'service_disk_usage_high',
        details: { roomBytes: 41_943_040, roomFiles: 10_000 },
      });
      expect(high?.details['usedBytes']).toBeGreaterThanOrEqual(34 * MIB);
      expect(high?.details['usedFiles']).toBeGreaterThan(2);
      await world.provider.services.update(id, { suspended: true });
      rmSync(filler);
      await world.until(async () => (await told(id)).length > 1, 'the event of its recovery');
      await new Promise((resolve) => setTimeout(resolve, WHILE_MS));
      const [, recovered, ...after] = await told(id);
      expect(after).toEqual([]);
      expect(recovered?.type).toBe('service_disk_usage_recovered');
      expect(recovered?.details['usedBytes']).toBeLessThan(28 * MIB);
    } finally {
      await world.close();
    }
  },
);
