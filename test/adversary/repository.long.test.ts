import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '../../src/domain/common/error.ts';
import type { WebService } from '../../src/domain/hosting/records.ts';
import { type GitSource, openGitSource } from '../../src/providers/hosting/local/git-source.ts';
import { webService } from '../../src/testing/plans/hosting.ts';
import { RawRepository } from '../support/hosting/raw-repository.ts';
import { tempDir } from '../support/temp-dir.ts';
import { addressesOf } from './repository-addresses.ts';
import { HARMLESS_TRAPS, TRAPS, type World } from './repository-traps.ts';
import { type Attempt, search, searchMs } from './search.ts';

const TIMEOUT = { timeout: searchMs() * 2 + 240_000 };
const CANARY = 'the canary of beta';
const OWN = 'the text of alpha';
/** Longest time that one deploy of a hostile repository takes, in milliseconds. */
const DEPLOY_MS = 40_000;
const FILES_MAX = 200_000;
const IN_THE_WAY: readonly string[] = ['EEXIST', 'EISDIR', 'ELOOP', 'ENOENT', 'ENOTDIR'];

let dir: ReturnType<typeof tempDir>;
let world: World;
let source: GitSource;

beforeEach(() => {
  dir = tempDir();
  const sources = join(dir.path, 'sources');
  const marks = join(dir.path, 'marks');
  for (const each of ['alpha', 'common', 'tree'])
    mkdirSync(join(sources, each), { recursive: true });
  mkdirSync(marks);
  const secret = new RawRepository(join(sources, 'beta', 'secret'));
  const blob = secret.blob(CANARY);
  const secretCommit = secret.commit(secret.tree([{ mode: '100644', name: 'canary', id: blob }]));
  const shared = new RawRepository(join(sources, 'common', 'shared'));
  shared.commit(shared.tree([{ mode: '100644', name: 'own', id: shared.blob(OWN) }]));
  world = { sources, marks, secret: { path: secret.path, commit: secretCommit, blob } };
  source = openGitSource({
    folder: join(dir.path, 'git'),
    sources: {
      folder: sources,
      shared: ['common'],
      workspaces: [
        { id: 'tea-a', name: 'alpha' },
        { id: 'tea-b', name: 'beta' },
      ],
    },
    acceptsForeign: true,
    fetcher: undefined,
    path: process.env['PATH'] ?? '',
  });
});
afterEach(() => dir.remove());

test('what a repository holds is deployed, its own settings and hooks aside', TIMEOUT, async () => {
  const rounds = await search(
    'repository with harmless traps',
    async (attempt) => {
      const repo = honest('kind');
      for (const trap of some(attempt, HARMLESS_TRAPS)) trap.set(repo, world, attempt);
      expect(await deployed(serviceOf(repo.path))).toContain(OWN);
      expect(readdirSync(world.marks)).toEqual([]);
    },
    { roundsMax: 12 },
  );
  expect(rounds).toBeGreaterThan(0);
});

test('nothing outside of a hostile repository is read, changed or run', TIMEOUT, async () => {
  let refusals = 0;
  const play = async (attempt: Attempt): Promise<void> => {
    const repo = honest(`r${attempt.round}`, attempt.random() < 0.3);
    const traps = some(attempt, TRAPS);
    for (const trap of traps) setTrap(() => trap.set(repo, world, attempt), traps.length);
    const names = traps.map(({ name }) => name).join(', ');
    // A trap that is set behind a link may have written through it.
    const before = snapshotOf(join(world.sources, 'beta'));
    const begun = performance.now();
    const files = await deployed(serviceOf(repo.path)).catch((thrown: unknown) => {
      if (thrown instanceof AppError) refusals += 1;
      return [];
    });
    expect(performance.now() - begun, names).toBeLessThan(DEPLOY_MS);
    expect(files.length, names).toBeLessThan(FILES_MAX);
    expect(files, names).not.toContain(CANARY);
    expect(readdirSync(world.marks), names).toEqual([]);
    expect(snapshotOf(join(world.sources, 'beta')), names).toBe(before);
    rmSync(repo.path, { recursive: true, force: true });
  };
  // Each trick alone comes first.
  await search('repository', play, { roundsMin: TRAPS.length });
  expect(refusals).toBeGreaterThan(0);
});

test('no spelling of an address reaches the folder of another workspace', TIMEOUT, async () => {
  const refusal = { code: 'INPUT_INVALID', message: expect.stringContaining('alpha or ') };
  await search(
    'address',
    async (attempt) => {
      const own = join(world.sources, 'alpha');
      const [address, isOwn] = addressesOf(world, own, attempt);
      const service = serviceOf(address);
      const found = await deployed(service).catch((thrown: unknown) => thrown);
      if (isOwn) expect(found, address).toContain(OWN);
      else expect(found, address).toMatchObject(refusal);
      if (!isOwn) expect(() => source.check(service), address).toThrow(AppError);
    },
    { roundsMax: 100 },
  );
});

test('a commit that names one folder again and again is refused before it is written', async () => {
  const repo = honest('bomb');
  let id = repo.tree([{ mode: '100644', name: 'f', id: repo.blob('x') }]);
  for (let level = 0; level < 12; level += 1) {
    const names = Array.from({ length: 10 }, (_, at) => `d${at}`);
    id = repo.tree(names.map((name) => ({ mode: '40000', name, id })));
  }
  repo.commit(id);
  await expect(deployed(serviceOf(repo.path))).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    data: { received: 'it has more than 200000 files' },
  });
});

/** Some traps: more as the search goes on, and each alone in the first rounds. */
function some<Trap>({ round, size, pick }: Attempt, traps: readonly Trap[]): readonly Trap[] {
  const first = traps[round];
  if (first !== undefined) return [first];
  return [...new Set(Array.from({ length: 1 + Math.ceil(size / 8) }, () => pick(traps)))];
}

/** Of several traps one may have put a file where another wants a folder. */
function setTrap(set: () => void, traps: number): void {
  try {
    set();
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    if (traps === 1 || !IN_THE_WAY.includes(code)) throw thrown;
  }
}

function honest(name: string, isBare = false): RawRepository {
  const path = join(world.sources, 'alpha', name);
  rmSync(path, { recursive: true, force: true });
  const repo = new RawRepository(path, { isBare });
  repo.commit(repo.tree([{ mode: '100644', name: 'own', id: repo.blob(OWN) }]));
  return repo;
}

/** Texts of all files of a deployed tree. */
async function deployed(service: WebService): Promise<readonly string[]> {
  const release = join(dir.path, 'release');
  const folder = join(release, 'tree');
  rmSync(release, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  source.check(service);
  const { signal } = new AbortController();
  await source.checkout(service, { commitId: null, folder, signal });
  expect(readdirSync(release)).toEqual(['tree']);
  return filesIn(folder).map((file) => readFileSync(file, 'utf8'));
}

function serviceOf(repo: string): WebService {
  return { ...webService, ownerId: 'tea-a', repo, branch: 'main' };
}

/** Links are passed by: what they lead to is no part of the tree. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isDirectory()) return filesIn(path);
    return stat.isFile() && stat.size < 2 ** 24 ? [path] : [];
  });
}

function snapshotOf(folder: string): string {
  return filesIn(folder)
    .toSorted()
    .map((file) => `${file} ${lstatSync(file).mtimeMs} ${readFileSync(file, 'base64')}`)
    .join('\n');
}
