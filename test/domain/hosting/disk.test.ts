import { expect, test } from 'vitest';
import {
  type DiskAmount,
  databaseDiskLimit,
  detectDiskLevelChange,
  serviceDiskLimit,
} from '../../../src/domain/hosting/disk.ts';
import { staticSite, webService } from '../../../src/testing/plans/hosting.ts';

const room: DiskAmount = { bytes: 1_000, files: 100 };
const GIB = 1_024 ** 3;

test.each([
  [false, { bytes: 799, files: 79 }, undefined],
  [false, { bytes: 800, files: 0 }, 'high'],
  [false, { bytes: 0, files: 80 }, 'high'],
  [false, { bytes: 5_000, files: 0 }, 'high'],
  [true, { bytes: 5_000, files: 0 }, undefined],
  [true, { bytes: 700, files: 0 }, undefined],
  [true, { bytes: 0, files: 70 }, undefined],
  [true, { bytes: 699, files: 69 }, 'recovered'],
] as const)(
  'a disk (high: %s) with %o of 1000 bytes and 100 files turns %s',
  (isHigh, used, turn) => {
    expect(detectDiskLevelChange(isHigh, { used, room })).toBe(turn);
  },
);

test('room follows the plan, with a file for each 8 KiB', () => {
  expect(serviceDiskLimit(webService)).toEqual({ bytes: 8 * GIB, files: 1_048_576 });
  expect(serviceDiskLimit(staticSite)).toEqual({ bytes: 8 * GIB, files: 1_048_576 });
  const { serviceDetails: details } = webService;
  const large = { ...webService, serviceDetails: { ...details, plan: 'pro_ultra' } } as const;
  expect(serviceDiskLimit(large)).toEqual({ bytes: 96 * GIB, files: 12_582_912 });
  const database = { diskSizeGB: 1 } as Parameters<typeof databaseDiskLimit>[0];
  expect(databaseDiskLimit(database)).toEqual({ bytes: 2 * GIB, files: 262_144 });
});
