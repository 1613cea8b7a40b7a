import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineStore } from '../../../src/store/engine/engine-store.ts';
import { openMcpState } from '../../../src/store/session/mcp-state.ts';
import { tempDir } from '../../support/temp-dir.ts';

let dir: ReturnType<typeof tempDir>;
let path: string;

beforeEach(() => {
  dir = tempDir();
  path = join(dir.path, 'store');
  mkdirSync(path);
  writeFileSync(join(path, 'data.mdb'), '');
});
afterEach(() => dir.remove());

test.each([
  ['an engine', openEngineStore],
  ['sessions', openMcpState],
])('an empty file of the store of %s is damage, and stays as it is', (_of, open) => {
  expect(() => open({ path })).toThrow(
    expect.objectContaining({
      code: 'DATA_DAMAGED',
      message: expect.stringContaining('delete the file'),
      data: { file: join(path, 'data.mdb'), place: 'The file is empty.' },
    }),
  );
  expect(statSync(join(path, 'data.mdb')).size).toBe(0);
});

test('the empty file of a start that ended in between is a new store', async () => {
  writeFileSync(join(path, 'owner'), '1 creating');
  await openEngineStore({ path }).close();
  expect(statSync(join(path, 'owner')).size).toBe(0);
});
