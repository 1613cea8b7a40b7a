import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebService } from '../../../../src/domain/hosting/records.ts';
import { openGit } from '../../../../src/providers/hosting/local/git/git-program.ts';
import {
  gitErrorMessage,
  openGitSource,
} from '../../../../src/providers/hosting/local/git-source.ts';
import { webService } from '../../../../src/testing/plans/hosting.ts';
import { type GitHttpsServer, gitHttpsServer } from '../../../support/hosting/git-https-server.ts';
import { repository } from '../../../support/hosting/sources.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/** A user that is nobody on this machine. */
const FETCHER = 65_533;
const asRoot = test.skipIf(process.getuid?.() !== 0);
const signal = AbortSignal.timeout(120_000);

let dir: ReturnType<typeof tempDir>;
let origin: ReturnType<typeof repository>;
beforeEach(() => {
  dir = tempDir();
  chmodSync(dir.path, 0o700);
  origin = repository(join(dir.path, 'origin', 'app'));
});
afterEach(() => dir.remove());

asRoot('a repository of another machine is fetched by a user that owns nothing here', async () => {
  await using server = await serve();
  const first = origin.commit({ 'a.txt': 'first', 'sub/b.txt': 'deep' }, 'The first');
  origin.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
  const second = origin.commit({ 'a.txt': 'second' }, 'The second');
  const source = sourceOver(server);
  expect(await source.head(serviceOf(`${server.url}app/.git`))).toBe(second);
  const newest = await checkOut(server, { commitId: null });
  expect(newest).toMatchObject({ id: second, message: 'The second' });
  expect(readFileSync(join(newest.folder, 'a.txt'), 'utf8')).toBe('second');
  const older = await checkOut(server, { commitId: first });
  expect(readFileSync(join(older.folder, 'sub/b.txt'), 'utf8')).toBe('deep');
  expect(readFileSync(join(older.folder, 'a.txt'), 'utf8')).toBe('first');
  expect(readdirSync(older.folder).sort()).toEqual(['a.txt', 'sub']);
  expect(statSync(join(older.folder, 'a.txt')).uid).toBe(FETCHER);
});

asRoot('the default branch is the one that the repository names', async () => {
  await using server = await serve();
  origin.commit({ a: 'a' });
  origin.git('branch', '--move', 'trunk');
  const address = serviceOf(`${server.url}app/.git`);
  expect(await sourceOver(server).defaultBranch(address)).toBe('trunk');
  origin.git('checkout', '--quiet', '--detach');
  expect(await sourceOver(server).defaultBranch(address)).toBeNull();
});

asRoot('nothing that a repository holds is obeyed, and no setting of it is', async () => {
  await using server = await serve();
  const mark = join(dir.path, 'mark');
  mkdirSync(mark, { mode: 0o777 });
  chmodSync(mark, 0o777);
  origin.commit({
    '.gitattributes': '* filter=evil diff=evil\n',
    '.gitconfig': `[filter "evil"]\n\tsmudge = touch ${mark}/smudged\n`,
    '.config/git/config': `[core]\n\tfsmonitor = touch ${mark}/watched\n`,
    '.netrc': 'machine 127.0.0.1 login a password b\n',
    '.gitmodules': `[submodule "s"]\n\tpath = s\n\turl = ${server.url}other/.git\n`,
    'hooks/post-checkout': `#!/bin/sh\ntouch ${mark}/hooked\n`,
  });
  const { folder } = await checkOut(server, { commitId: null });
  expect(readdirSync(mark)).toEqual([]);
  expect(existsSync(join(folder, '.git'))).toBe(false);
  expect(server.hits.filter((hit) => hit.includes('other'))).toEqual([]);
});

asRoot(
  'what git runs there has no privileges, our settings, and sees no data of ours',
  async () => {
    const folder = join(dir.path, 'git');
    const { git, giveToFetcher } = openGit({ folder, fetcher: FETCHER, path: PATH });
    const cwd = join(dir.path, 'tree');
    mkdirSync(cwd, { mode: 0o700 });
    writeFileSync(join(dir.path, 'secret'), 'the secret', { mode: 0o644 });
    giveToFetcher(cwd);
    const place = { cwd, isForeign: true };
    await git(['init', '--quiet', '--template=', '.'], place);
    const ask = (command: string) => git(['-c', `alias.x=!${command}`, 'x'], place);
    const status = await ask('cat /proc/self/status');
    expect(status).toMatch(new RegExp(`^Uid:\\s+${FETCHER}\\s+${FETCHER}\\s+${FETCHER}`, 'm'));
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
    }
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(await ask(`cat ${dir.path}/secret || echo closed`)).toBe('closed\n');
    expect(await ask(`cd ${folder} || echo closed`)).toBe('closed\n');
    const settings = await git(['config', '--list'], place);
    for (const line of ['protocol.allow=never', 'core.hookspath=/dev/null', 'safe.directory=*']) {
      expect(settings.split('\n')).toContain(line);
    }
    expect(await ask('touch /mnt/gitconfig 2>/dev/null || echo closed')).toBe('closed\n');
    await expect(git(['fetch', dir.path], place)).rejects.toThrow(/transport 'file' not allowed/);
    await expect(git(['fetch', 'ext::true'], place)).rejects.toThrow(/'ext' not allowed/);
    // Also in a tree whose own settings say otherwise.
    await git(['config', 'protocol.file.allow', 'always'], place);
    await expect(git(['fetch', dir.path], place)).rejects.toThrow(/transport 'file' not allowed/);
  },
);

asRoot('a server that nobody vouches for is refused', async () => {
  await using server = await serve();
  origin.commit({ a: 'a' });
  const source = sourceOver({ ...server, authorities: undefined });
  const refused = await source.head(serviceOf(`${server.url}app/.git`)).catch(gitErrorMessage);
  expect(refused).toMatch(/certificate/i);
  expect(server.hits).toEqual([]);
});

asRoot('refusals of a server are told in words that say where to look', async () => {
  const inner = join(dir.path, 'origin', 'app', '.git');
  await using server = await serve((asked, answer) => {
    const { pathname } = new URL(asked.url ?? '/', 'https://127.0.0.1');
    if (pathname.startsWith('/private')) {
      answer.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    } else if (pathname.startsWith('/file')) {
      answer.writeHead(302, { location: `file://${inner}/info/refs` }).end();
    } else if (pathname.startsWith('/plain')) {
      answer.writeHead(302, { location: 'http://127.0.0.1:9/x.git/info/refs' }).end();
    } else return false;
    return true;
  });
  origin.commit({ a: 'a' });
  const source = sourceOver(server);
  const words = (path: string) =>
    source.head(serviceOf(`${server.url}${path}`)).then(String, gitErrorMessage);
  expect(await words('private/a.git')).toMatch(/private or does not exist/);
  expect(await words('gone.git')).toMatch(/not found/);
  expect(await words('gone.git')).toContain(`${server.url}gone.git`);
  expect(await words('file/a.git')).toMatch(/unable to access.*file.*(not supported|disabled)/i);
  expect(await words('plain/a.git')).toMatch(/unable to access.*http.*(not supported|disabled)/i);
  const branch = serviceOf(`${server.url}app/.git`, 'not-there');
  expect(await source.head(branch)).toBeNull();
  const tree = place();
  const order = { commitId: null, folder: tree, signal };
  const thrown = await source.checkout(branch, order).catch((error: unknown) => error);
  expect(gitErrorMessage(thrown)).toBe("fatal: couldn't find remote ref refs/heads/not-there");
});

asRoot('a fetch from a server that stops answering ends whole when it is let go', async () => {
  let asked = 0;
  await using server = await serve(() => {
    asked += 1;
    return true;
  });
  const ending = new AbortController();
  const source = sourceOver(server);
  const order = { commitId: null, folder: place(), signal: ending.signal };
  const fetched = source.checkout(serviceOf(`${server.url}app/.git`), order);
  const ended = expect(fetched).rejects.toThrow();
  await expect.poll(() => asked, { timeout: 20_000 }).toBe(1);
  expect(processesOf(FETCHER)).toBeGreaterThan(0);
  ending.abort();
  await ended;
  await expect.poll(() => processesOf(FETCHER), { timeout: 10_000 }).toBe(0);
});

const PATH = process.env['PATH'] ?? '';

function serve(answer?: Parameters<typeof gitHttpsServer>[2]): Promise<GitHttpsServer> {
  const keys = join(dir.path, 'keys');
  mkdirSync(keys);
  return gitHttpsServer(join(dir.path, 'origin'), keys, answer);
}

function sourceOver({ authorities }: { readonly authorities: string | undefined }) {
  return openGitSource({
    folder: join(dir.path, 'git'),
    sources: undefined,
    acceptsForeign: true,
    fetcher: FETCHER,
    path: PATH,
    ...(authorities === undefined ? {} : { authorities }),
  });
}

function serviceOf(repo: string, branch = 'main'): WebService {
  return { ...webService, repo, branch };
}

let places = 0;
function place(): string {
  places += 1;
  const folder = join(dir.path, `release-${places}`, 'tree');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

async function checkOut(server: GitHttpsServer, o: { readonly commitId: string | null }) {
  const folder = place();
  const service = serviceOf(`${server.url}app/.git`);
  const commit = await sourceOver(server).checkout(service, { ...o, folder, signal });
  return { ...commit, folder };
}

function processesOf(uid: number): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid)
    .length;
}
