import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../version.ts';
import { packageRoot } from '../server/package-root.ts';

/** Names the router's program of this package: its version, and what its modules are. */
export function routerBuild(): string {
  const hash = createHash('sha256');
  const folder = join(packageRoot(), 'dist', 'router');
  const modules = readdirSync(folder).filter((name) => name.endsWith('.js'));
  for (const name of modules.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return `${VERSION}-${hash.digest('hex').slice(0, 16)}`;
}
