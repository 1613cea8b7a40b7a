import { existsSync } from 'node:fs';
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
