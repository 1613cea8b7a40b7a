import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openTrustStore } from '../../src/store/chain/trust-store.ts';
import { openBlobStore } from '../../src/store/common/blob-store.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { openProofLog } from '../../src/store/proof/proof-log.ts';
import { openMcpState } from '../../src/store/session/mcp-state.ts';
import { built } from '../support/built.ts';
import { NO_PROOFS } from '../support/proof-rig.ts';
import { tempDir } from '../support/temp-dir.ts';

const STORES = {
  actors: [openEngineStore, 4],
  blobs: [openBlobStore, 1],
  mcp: [openMcpState, 2],
  proofs: [(options: { readonly path: string }) => openProofLog({ ...options, ...NO_PROOFS }), 1],
} as const;
let dir: ReturnType<typeof tempDir>;

beforeEach(() => {
  dir = tempDir();
});
afterEach(() => dir.remove());

describe.each(Object.entries(STORES))('store/%s', (_name, [openStore, known]) => {
  test('is refused when a newer program has written it, naming both formats', async () => {
    await openStore({ path: dir.path }).close();
    await writeFormat(dir.path, 99);
    const refusal = expect.objectContaining({
      code: 'STORE_NEWER',
      message: `The store has format 99; this program supports up to ${known}.`,
      data: expect.objectContaining({ found: 99, known }),
    });
    expect(() => openStore({ path: dir.path })).toThrow(refusal);
    // A refusal leaves nothing behind: an older program is refused again, the right one gets in.
    expect(() => openStore({ path: dir.path })).toThrow(refusal);
    await writeFormat(dir.path, known);
    await openStore({ path: dir.path }).close();
  });

  test('is opened once at a time in one process', async () => {
    const store = openStore({ path: dir.path });
    const refusal = expect.objectContaining({ code: 'STORE_BUSY' });
    expect(() => openStore({ path: dir.path })).toThrow(refusal);
    expect(() => openStore({ path: join(dir.path, '.') })).toThrow(refusal);
    await store.close();
    const next = openStore({ path: dir.path });
    // A second close of the first must not touch what the next one has opened.
    await store.close();
    expect(() => openStore({ path: dir.path })).toThrow(refusal);
    await next.close();
  });
});

test('a daemon names the newer store and ends', async () => {
  const place = (name: string) => join(dir.path, 'store', name);
  for (const [name, [openStore]] of Object.entries(STORES)) {
    await openStore({ path: place(name) }).close();
  }
  await openTrustStore({ path: place('trust') }).close();
  await writeFormat(place('actors'), 99);
  const dist = await built();
  const args = [join(dist, 'cli.js'), 'serve', '--port', '0', '--data', dir.path];
  const { status, stderr } = spawnSync(process.execPath, args, { timeout: 60_000 });
  expect(String(stderr)).toContain(
    'STORE_NEWER: The store has format 99; this program supports up to 4.',
  );
  expect(status).toBe(1);
}, 90_000);

async function writeFormat(path: string, format: number): Promise<void> {
  const root = open<string, string>({ path, encoding: 'string', maxDbs: 64, noSubdir: false });
  const meta = root.openDB<string, string>('meta', { encoding: 'string', useVersions: true });
  await meta.put('format', String(format), 1);
  await root.close();
}
