import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { invariant } from '../../domain/common/error.ts';

/** Returns the folder of this package, independent of the build layout. */
export function packageRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    invariant(folder !== dirname(folder), 'a module is inside a package');
    folder = dirname(folder);
  }
  return folder;
}

/** Returns the folder of the console page: that of the build, or of the package `@stoa/console`. */
export function consoleFolder(): string {
  const built = join(packageRoot(), 'dist', 'web');
  if (existsSync(built)) return built;
  try {
    const manifest = createRequire(import.meta.url).resolve('@stoa/console/package.json');
    return join(dirname(manifest), 'dist');
  } catch {
    return built;
  }
}

/** Returns the page of a result, whole in one file; `undefined` if the console is not built. */
export function readResultPage(): string | undefined {
  const path = join(consoleFolder(), 'result.html');
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
