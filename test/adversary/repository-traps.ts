import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { RawRepository, TreeRow } from '../support/hosting/raw-repository.ts';
import type { Attempt } from './search.ts';

/** What a hostile repository wants to reach. */
export interface World {
  readonly sources: string;
  /** A command that is run leaves a file here. */
  readonly marks: string;
  /** A repository of another workspace. */
  readonly secret: { readonly path: string; readonly commit: string; readonly blob: string };
}

/** One trick, put into a repository. */
interface Trap {
  readonly name: string;
  readonly set: (repo: RawRepository, world: World, attempt: Attempt) => void;
}

const HOOKS = [
  ...['post-checkout', 'post-upload-pack', 'reference-transaction', 'pre-receive', 'update'],
  ...['post-index-change', 'post-merge', 'pre-auto-gc', 'proc-receive', 'fsmonitor-watchman'],
];

/** Settings of a repository that run a command or read a file where git obeys them. */
const SETTINGS: readonly ((world: World) => string)[] = [
  (world) => `[include]\n\tpath = ${world.secret.path}/.git/config`,
  (world) => `[includeIf "gitdir:/"]\n\tpath = ${world.secret.path}/.git/config`,
  (world) => `[core]\n\thooksPath = ${world.sources}/alpha/hooks`,
  (world) => `[core]\n\tfsmonitor = touch ${world.marks}/fsmonitor`,
  (world) => `[core]\n\tsshCommand = touch ${world.marks}/ssh`,
  (world) => `[core]\n\talternateRefsCommand = touch ${world.marks}/alternate`,
  (world) => `[core]\n\tgitProxy = touch ${world.marks}/proxy`,
  (world) => `[core]\n\tpager = touch ${world.marks}/pager`,
  (world) => `[core]\n\tworktree = ${world.secret.path}`,
  (world) => `[core]\n\tattributesFile = ${world.secret.path}/.git/config`,
  (world) => `[uploadpack]\n\tpackObjectsHook = touch ${world.marks}/pack`,
  (world) => `[filter "evil"]\n\tsmudge = touch ${world.marks}/smudge\n\trequired = true`,
  (world) => `[filter "evil"]\n\tprocess = touch ${world.marks}/process`,
  (world) => `[alias]\n\tlog = !touch ${world.marks}/alias`,
  (world) =>
    `[extensions]\n\tpartialClone = o\n[remote "o"]\n\turl = ${world.secret.path}\n\tpromisor = true` +
    `\n\tuploadpack = touch ${world.marks}/promisor; git-upload-pack`,
  () => '[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always',
  (world) => `[url "ext::sh -c touch% ${world.marks}/ext "]\n\tinsteadOf = file://`,
  () => '[transfer]\n\tfsckObjects = false\n[fetch]\n\tfsckObjects = false',
  () => '[uploadpack]\n\thideRefs = refs',
  () => '[this is no setting',
];

/** Tricks that git would follow, and that are no part of what is deployed. */
export const HARMLESS_TRAPS: readonly Trap[] = [
  {
    name: 'settings',
    set: (repo, world, { pick, size }) => {
      const chosen = Array.from({ length: 1 + Math.ceil(size / 8) }, () => pick(SETTINGS)(world));
      repo.put('config', `[core]\n\tbare = false\n${chosen.join('\n')}\n`);
      repo.put('config.worktree', `${pick(SETTINGS)(world)}\n`);
    },
  },
  {
    name: 'hooks',
    set: (repo, world) => {
      for (const hook of HOOKS) {
        repo.put(`hooks/${hook}`, `#!/bin/sh\ntouch ${world.marks}/${hook}\n`, 0o755);
      }
    },
  },
  {
    name: 'replaced objects',
    set: (repo, world) => repo.put(`refs/replace/${world.secret.blob}`, `${world.secret.blob}\n`),
  },
  { name: 'grafts', set: (repo, { secret }) => repo.put('info/grafts', `${secret.commit}\n`) },
  {
    name: 'a common folder',
    set: (repo, { secret }) => repo.put('commondir', `${secret.path}/.git`),
  },
  {
    name: 'marks of files to come',
    set: (repo) => repo.put(`objects/pack/pack-${'0'.repeat(40)}.promisor`, ''),
  },
  {
    name: 'filters and attributes',
    set: (repo) => {
      const lines = '* filter=evil ident export-subst text eol=crlf diff=evil merge=evil\n';
      repo.put('info/attributes', '* filter=evil\n');
      repo.commit(
        repo.tree([...own(repo), file(repo, '.gitattributes', `${lines}own -text -ident\n`)]),
      );
    },
  },
  {
    name: 'a submodule',
    set: (repo, world) => {
      const text = `[submodule "s"]\n\tpath = s\n\turl = ${world.secret.path}\n`;
      const link: TreeRow = { mode: '160000', name: 's', id: world.secret.commit };
      repo.commit(repo.tree([...own(repo), file(repo, '.gitmodules', text), link]));
    },
  },
  {
    name: 'a link in the files',
    set: (repo, world) => {
      const link = repo.blob(join(world.secret.path, '.git/config'));
      repo.commit(repo.tree([...own(repo), { mode: '120000', name: 'link', id: link }]));
    },
  },
];

/** Where a link or a list of a repository may lead away. */
const LINKED = [
  ...['objects', 'objects/pack', 'objects/info', 'refs', 'refs/heads', 'refs/heads/main'],
  ...['HEAD', 'config', 'packed-refs', 'shallow', 'index', 'logs'],
];

/** Tricks that may be refused; whatever comes of them, nothing of others is read. */
export const TRAPS: readonly Trap[] = [
  ...HARMLESS_TRAPS,
  ...LINKED.map(
    (name): Trap => ({
      name: `a link at ${name}`,
      set: (repo, { secret }, { random }) => {
        wantSecret(repo, secret.commit);
        const to = join(secret.path, '.git', name);
        replace(
          join(repo.git, name),
          random() < 0.5 ? to : relative(dirname(join(repo.git, name)), to),
        );
      },
    }),
  ),
  {
    name: 'a link to one object',
    set: (repo, { secret }) => {
      wantSecret(repo, secret.commit);
      for (const id of [secret.commit, secret.blob]) {
        const name = join('objects', id.slice(0, 2));
        replace(join(repo.git, name), join(secret.path, '.git', name));
      }
    },
  },
  {
    name: 'a link in place of the repository',
    set: (repo, { secret }) => {
      if (repo.git === repo.path) replace(repo.path, secret.path);
      else replace(repo.git, join(secret.path, '.git'));
    },
  },
  {
    name: 'a file that names the repository',
    set: (repo, { secret }, { pick }) => {
      if (repo.git === repo.path) return;
      rmSync(repo.git, { recursive: true });
      const to = join(secret.path, '.git');
      writeFileSync(repo.git, `gitdir: ${pick([to, relative(repo.path, to)])}\n`);
    },
  },
  {
    name: 'objects of others',
    set: (repo, { secret }, { pick }) => {
      wantSecret(repo, secret.commit);
      const to = join(secret.path, '.git/objects');
      const line = pick([to, relative(join(repo.git, 'objects'), to), `"${to}"`, `# no\n\n${to}`]);
      repo.put(
        `objects/info/${pick(['alternates', 'alternates', 'http-alternates'])}`,
        `${line}\n`,
      );
    },
  },
  {
    name: 'objects of others, through a folder of its own',
    set: (repo, { secret }) => {
      wantSecret(repo, secret.commit);
      const middle = join(dirname(repo.path), 'middle');
      mkdirSync(join(middle, 'info'), { recursive: true });
      writeFileSync(join(middle, 'info/alternates'), `${secret.path}/.git/objects\n`);
      repo.put('objects/info/alternates', `${middle}\n`);
    },
  },
  {
    name: 'a branch that leads to other names',
    set: (repo, { secret }, { pick, hex }) => {
      const to = relative(repo.git, join(secret.path, '.git/refs/heads/main'));
      const odd = [
        'refs/heads/main',
        to,
        `refs/heads/../../${to}`,
        `refs/heads/${hex(3)}`,
        '/etc/passwd',
      ];
      rmSync(join(repo.git, 'refs/heads/main'), { force: true, recursive: true });
      repo.put('refs/heads/main', `ref: ${pick(odd)}\n`);
    },
  },
  {
    name: 'a long list of branches',
    set: (repo, { secret }, { size }) => {
      const line = `${secret.commit} refs/heads/${'x'.repeat(200)}\n`;
      repo.put('packed-refs', line.repeat(size * 2_000));
    },
  },
  {
    name: 'names that no file may have',
    set: (repo, world, { pick, hex }) => {
      const odd = [
        '..',
        '.git',
        '.GIT',
        'git~1',
        '.g\u200cit',
        '../x',
        'a/../../b',
        '/etc',
        '-rf',
        'a\nb',
      ];
      const rows = [pick(odd), hex(120), pick(odd), `${hex(2)}\\..\\x`].map(
        (name): TreeRow => ({
          ...file(repo, name, `touch ${world.marks}/x`),
        }),
      );
      repo.commit(
        repo.tree([...own(repo), ...new Map(rows.map((row) => [row.name, row])).values()]),
      );
    },
  },
  {
    name: 'a link and a folder of one name',
    set: (repo, world) => {
      const link = repo.blob(world.marks);
      const inner = repo.tree([file(repo, 'written', 'x')]);
      const rows: TreeRow[] = [
        { mode: '120000', name: 'a', id: link },
        { mode: '40000', name: 'a', id: inner },
      ];
      repo.commit(repo.tree([...own(repo), ...rows]));
    },
  },
  {
    name: 'deep folders',
    set: (repo, _world, { size }) => {
      let id = repo.tree([file(repo, 'f', 'x')]);
      for (let level = 0; level < size * 60; level += 1)
        id = repo.tree([{ mode: '40000', name: 'd', id }]);
      repo.commit(repo.tree([...own(repo), { mode: '40000', name: 'd', id }]));
    },
  },
  {
    name: 'one folder many times',
    set: (repo, _world, { integer, size }) => {
      let id = repo.tree([file(repo, 'f', 'x')]);
      const levels = size < 16 ? 2 : 11;
      for (let level = 0; level < levels; level += 1) {
        const names = Array.from({ length: integer(6, 12) }, (_, at) => `d${at}`);
        id = repo.tree(names.map((name) => ({ mode: '40000', name, id })));
      }
      repo.commit(repo.tree([...own(repo), { mode: '40000', name: 'd', id }]));
    },
  },
  {
    name: 'a large file and a long subject',
    set: (repo, _world, { size }) => {
      const large = Buffer.alloc(size * 2 ** 19);
      const rows = [...own(repo), { mode: '100644', name: 'large', id: repo.blob(large) } as const];
      repo.commit(repo.tree(rows), 's'.repeat(size * 40_000));
    },
  },
  {
    name: 'settings of a submodule that run commands',
    set: (repo, world) => {
      const text = `[submodule "../../x"]\n\tpath = -u${world.marks}\n\turl = ext::sh -c touch% ${world.marks}/s\n\tupdate = !touch ${world.marks}/u\n`;
      const link: TreeRow = { mode: '160000', name: '-u', id: world.secret.commit };
      repo.commit(repo.tree([...own(repo), file(repo, '.gitmodules', text), link]));
    },
  },
  {
    name: 'objects that are damaged',
    set: (repo, _world, { hex, integer }) => {
      repo.put(
        `objects/pack/pack-${'1'.repeat(40)}.pack`,
        `PACK\0\0\0\u0002${hex(integer(1, 200))}`,
      );
      repo.put(`objects/pack/pack-${'1'.repeat(40)}.idx`, hex(integer(1, 2_000)));
    },
  },
];

/** Has the branch name a commit of another workspace. */
function wantSecret(repo: RawRepository, commit: string): void {
  repo.put('refs/heads/main', `${commit}\n`);
}

function replace(place: string, target: string): void {
  rmSync(`${place}.was`, { recursive: true, force: true });
  try {
    renameSync(place, `${place}.was`);
  } catch {
    // Nothing of this name was there.
  }
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(target, place);
}

function own(repo: RawRepository): readonly TreeRow[] {
  return [file(repo, 'own', 'the text of alpha')];
}

function file(repo: RawRepository, name: string, text: string): TreeRow {
  return { mode: '100644', name, id: repo.blob(text) };
}
