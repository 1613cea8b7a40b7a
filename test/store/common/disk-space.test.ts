import { expect, test } from 'vitest';
import { DiskSpace } from '../../../src/store/common/disk-space.ts';
import { TextTable } from '../../../src/store/common/text-table.ts';
import type { Op } from '../../../src/store/engine/commit-queue.ts';

const MIB = 1024 * 1024;

/** A room on a disk of which so much is free, 128 MiB of it in reserve. */
function roomOf(freeBytes: number) {
  const disk = { freeBytes, looks: 0, now: 0 };
  const look = () => {
    disk.looks += 1;
    return disk.freeBytes;
  };
  return { disk, room: new DiskSpace('', 128 * MIB, { now: () => disk.now }, look) };
}

function ops(count: number, text: string): readonly Op[] {
  return Array.from({ length: count }, (_, key) => ({ db: new TextTable('t'), key, text }));
}

test('new work needs the reserve, and what runs may use most of it', () => {
  const { room, disk } = roomOf(128 * MIB - 1);
  expect(room.hasReserve()).toBe(false);
  room.reserveOps(ops(1, 'x'));
  disk.freeBytes = 16 * MIB - 1;
  disk.now = 1_000;
  expect(() => room.reserveOps(ops(1, 'x'))).toThrow(
    expect.objectContaining({
      code: 'STORE_FULL',
      data: expect.objectContaining({ free: 16 * MIB - 1 }),
    }),
  );
  disk.freeBytes = 200 * MIB;
  room.reserveOps(ops(1, 'x'));
  expect(room.hasReserve()).toBe(true);
});

test('an answer of the file system is believed for a second, but for what is written meanwhile', () => {
  const { room, disk } = roomOf(20 * MIB);
  for (let n = 0; n < 100; n += 1) room.hasReserve();
  room.reserveOps(ops(100, ''));
  expect(disk.looks).toBe(1);
  disk.freeBytes = MIB;
  room.reserveOps(ops(10, ''));
  expect(disk.looks).toBe(1);
  // Three mebibytes of text may not fit any more: it looks again, and there is no room.
  expect(() => room.reserveOps(ops(3, 'x'.repeat(MIB)))).toThrow(
    expect.objectContaining({ code: 'STORE_FULL' }),
  );
  expect(disk.looks).toBe(2);
});
