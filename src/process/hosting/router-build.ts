import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../version.ts';
import { packageRoot } from '../server/package-root.ts';

/** Returns the build id of this package's router: its version, and a hash of its modules. */
export function routerBuild(): string {
  const hash = createHash('sha256');
  const folder = join(packageRoot(), 'dist', 'router');
  const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
  for (const name of modules.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return `${VERSION}-${hash.digest('hex').slice(0, 16)}`;
}
