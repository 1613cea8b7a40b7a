import { existsSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { World } from './repository-traps.ts';
import type { Attempt } from './search.ts';

/** Other spellings of a path: some lead to the same place, some to none. */
const SPELLINGS: readonly ((path: string, own: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `${path}/.git`,
  (path) => `${path}/.git/..`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.replaceAll('/', '/./'),
  (path, own) => `${own}/${relative(own, path)}`,
  (path, own) => `${own}/x/../${relative(own, path)}`,
  (path) => path.toUpperCase(),
  (path) => join(dirname(dirname(path)), 'Beta', basename(path)),
  (path) => pathToFileURL(path).href,
  (path) => pathToFileURL(path).href.replace('file:///', 'file://localhost/'),
  (path) => pathToFileURL(path).href.replace('file:///', 'FILE:///'),
  (path) => pathToFileURL(path).href.replace('file:///', 'file:////'),
  (path) => pathToFileURL(path).href.replaceAll('e', '%65'),
  (path, own) => `file://${own}/..%2f${relative(dirname(own), path)}`,
  (path, own) => `file://${own}/%2e%2e/${relative(dirname(own), path)}`,
  (path) => `${pathToFileURL(path).href}?x#y`,
  (path) => `file:${path}`,
  (path) => `localhost:${path}`,
  (path) => `ssh://localhost${path}`,
  (path) => `git@localhost:${path}`,
  (path) => `https://localhost${path}`.replace('https', 'http'),
  (path) => `ext::git-upload-pack ${path}`,
  (path) => `--upload-pack=${path}`,
  (path) => ` ${path}`,
  (path) => `${path}\0.git`,
  (path) => `${path}\n`,
  (path) => path.slice(1) || '.',
  (path) => `/proc/self/root${path}`,
  (path) => `/proc/self/cwd/${relative(process.cwd(), path)}`,
  (path) => `/dev/fd/../root${path}`,
];

/** An address, and whether it leads to a repository that may be read. */
export function addressesOf(
  { sources, secret }: World,
  own: string,
  { pick, random, hex }: Attempt,
): readonly [address: string, isOwn: boolean] {
  if (random() < 0.2) return [join(sources, 'common', 'shared'), true];
  const link = join(own, 'link');
  if (!existsSync(link)) symlinkSync(secret.path, link);
  const folder = join(own, 'folder');
  if (!existsSync(folder)) symlinkSync(dirname(secret.path), folder);
  const targets = [
    ...[secret.path, secret.path, link, join(folder, basename(secret.path))],
    ...[sources, dirname(secret.path), `${own}-${hex(2)}`, join(own, hex(4)), '/', '/etc'],
  ];
  return [pick(SPELLINGS)(pick(targets), own), false];
}
