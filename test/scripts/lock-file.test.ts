import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
type Packages = Readonly<Record<string, Locked>>;

/** Whether a package that stands at `path` finds another one, in its own folder or above it. */
function finds(packages: Packages, path: string, name: string): boolean {
  const inside = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  if (Object.hasOwn(packages, inside)) return true;
  if (path === '') return false;
  const above = path.lastIndexOf('/node_modules/');
  return finds(packages, above < 0 ? '' : path.slice(0, above), name);
}

/** What `npm ci` would miss: packages for other platforms as well. */
function findHoles(packages: Packages): readonly string[] {
  return Object.entries(packages).flatMap(([path, one]) => {
    const wanted = { ...one.dependencies, ...one.optionalDependencies, ...one.devDependencies };
    const missing = Object.keys(wanted).filter((name) => !finds(packages, path, name));
    return missing.map((name) => `${path} needs ${name}`);
  });
}

test('the lock file has every package of every platform, so that npm ci takes it', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  expect(findHoles(packages)).toEqual([]);
  // A lock file that was made for one platform lacks those of the others.
  const { 'node_modules/@biomejs/cli-win32-x64': other, ...rest } = packages;
  expect(other).toBeDefined();
  expect(findHoles(rest)).toEqual(['node_modules/@biomejs/biome needs @biomejs/cli-win32-x64']);
});
