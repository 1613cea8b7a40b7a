import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from 'lmdb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTrustStore } from '../../src/store/chain/trust-store.ts';
import { openBlobStore } from '../../src/store/common/blob-store.ts';
import { addBounds, FAMILY_BOUNDS } from '../../src/store/common/families.ts';
import { openEngineStore } from '../../src/store/engine/engine-store.ts';
import { openHostingEvents } from '../../src/store/hosting/hosting-events.ts';
import { LogDay } from '../../src/store/hosting/hosting-log-day.ts';
import { MetricTable } from '../../src/store/hosting/hosting-metric-table.ts';
import { openProofLog } from '../../src/store/proof/proof-log.ts';
import { openMcpState } from '../../src/store/session/mcp-state.ts';
import { FRONT_LIMITS } from '../../src/transport/mcp/limits.ts';
import { NO_PROOFS } from '../support/proof-rig.ts';
import { tempDir } from '../support/temp-dir.ts';

const CHECKOUT = fileURLToPath(new URL('../../', import.meta.url));
const DOCUMENT = readFileSync(join(CHECKOUT, 'docs', 'retention.md'), 'utf8');
const STORES = {
  actors: openEngineStore,
  blobs: openBlobStore,
  history: openHostingEvents,
  logs: (options: { readonly path: string }) => new LogDay(options, 20_000, 0),
  mcp: openMcpState,
  metrics: (options: { readonly path: string }) => new MetricTable(options),
  proofs: (options: { readonly path: string }) => openProofLog({ ...options, ...NO_PROOFS }),
  trust: openTrustStore,
};
/** Every environment has it; `docs/retention.md` lists it with the actors. */
const COMMON = ['meta'];
/** Where tests are that are named without a folder. */
const CLAIMS = join('test', 'runtime', 'conformance');
const dir = tempDir();

beforeAll(async () => {
  for (const [name, openStore] of Object.entries(STORES)) {
    await openStore({ path: join(dir.path, name) }).close();
  }
});
afterAll(() => dir.remove());

test.each(Object.keys(STORES))(
  'every key family of store/%s is in docs/retention.md',
  async (name) => {
    const written = (await familiesIn(join(dir.path, name))).filter(
      (each) => !COMMON.includes(each),
    );
    const listed = rowsOf(name).flatMap(({ families }) => families);
    expect(listed.filter((each) => !COMMON.includes(each)).sort()).toEqual(written.sort());
  },
);

test.each(Object.keys(STORES))(
  'every family of store/%s says bound, age, trimmer and test',
  (name) => {
    expect(rowsOf(name).length).toBeGreaterThan(0);
    for (const { families, cells } of rowsOf(name)) {
      expect(cells, families.join()).toHaveLength(6);
      for (const cell of cells) expect(cell, families.join()).not.toBe('');
    }
  },
);

test.each(Object.keys(STORES))(
  'the bounds that the console shows of store/%s are those of docs/retention.md',
  (name) => {
    const shown = FAMILY_BOUNDS.filter(({ store }) => store === name);
    expect(shown.map(({ families, bound }) => ({ families, bound }))).toEqual(
      rowsOf(name).map(({ families, cells }) => ({ families, bound: cells[2] })),
    );
  },
);

test('a family that has a number for its bound says how much of it is used', () => {
  const sizes = [
    { family: 'sessions', rows: 5_000, bytes: 4_096 },
    { family: 'meta', rows: 2, bytes: 4_096 },
  ];
  expect(addBounds('mcp', sizes)).toMatchObject([
    { environment: 'mcp', family: 'sessions', rows: 5_000, bytes: 4_096, used: 0.25 },
    { environment: 'mcp', family: 'meta', used: null, bound: 'two (`format`, `epoch`)' },
  ]);
  const [sessions] = FAMILY_BOUNDS.filter(({ families }) => families.includes('sessions'));
  expect(sessions?.rowsMax).toBe(FRONT_LIMITS.sessionsMax);
});

test.each(Object.entries(STORES))('store/%s tells the size of every family', async (name, open) => {
  const store = open({ path: join(dir.path, name) });
  const told = store.sizes?.() ?? [];
  await store.close();
  expect(told.map(({ family }) => family).sort()).toEqual(
    (await familiesIn(join(dir.path, name))).sort(),
  );
  expect(told.find(({ family }) => family === 'meta')).toMatchObject({ rows: 2, bytes: 4_096 });
});

test('every trimmer that names code is code that something calls', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const texts = files.map((path) => readFileSync(join('src', path), 'utf8'));
  const named = FAMILY_BOUNDS.flatMap(({ trimmer }) =>
    [...trimmer.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => name ?? []),
  ).filter((name) => !name.startsWith('stoa '));
  expect(named.length).toBeGreaterThan(20);
  const idle = named.filter((name) => {
    const called = name.endsWith('.ts') ? `/${name}'` : `.${name.split('.').at(-1)}(`;
    return !texts.some((text) => text.includes(called));
  });
  expect(idle).toEqual([]);
});

test('docs/retention.md has the tables that follow from the families', async () => {
  const { retentionPage } = (await import('../../scripts/lib/retention-page.mjs' as string)) as {
    retentionPage: (page: string, bounds: typeof FAMILY_BOUNDS) => string;
  };
  expect(retentionPage(DOCUMENT, FAMILY_BOUNDS)).toBe(DOCUMENT);
});

test('every test that docs/retention.md names is there', () => {
  const rows = DOCUMENT.split('\n').filter((line) => line.startsWith('| '));
  const named = rows.flatMap((row) => testsIn(cellsOf(row).at(-1) ?? ''));
  expect(named.length).toBeGreaterThan(20);
  for (const places of named) {
    const isThere = places.some((place) => existsSync(join(CHECKOUT, place)));
    expect(isThere, places.join(' or ')).toBe(true);
  }
});

/** Where each named test may be: at its path, in a folder named beside it, or among the claims. */
function testsIn(cell: string): readonly (readonly string[])[] {
  const folders = [...cell.matchAll(/in `([^`]+)`/g)].map(([, folder = '']) => folder);
  return [...cell.matchAll(/`([^`]+\.ts)`/g)].map(([, file = '']) =>
    file.includes('/') ? [file] : [...folders, CLAIMS].map((folder) => join(folder, file)),
  );
}

async function familiesIn(path: string): Promise<string[]> {
  const root = open({ path, readOnly: true, maxDbs: 64, noSubdir: false });
  const names = [...root.getKeys()].map(String);
  await root.close();
  return names;
}

interface Row {
  readonly families: readonly string[];
  readonly cells: readonly string[];
}

/** Rows of the table under the heading that names a store. */
function rowsOf(store: string): readonly Row[] {
  const section = DOCUMENT.split('\n## ').find((part) =>
    part.split('\n')[0]?.includes(`store/${store}`),
  );
  const lines = (section ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines
    .map(cellsOf)
    .filter(([first]) => first !== 'family')
    .map((cells) => ({ families: (cells[0] ?? '').split(', '), cells }));
}

function cellsOf(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
