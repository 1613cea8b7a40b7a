// The built program. STOA_DIST names another build than `dist/` (a path relative to the checkout).
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const root = new URL('../../', import.meta.url);
const dist = new URL(`${process.env.STOA_DIST ?? 'dist'}/`, root);

/** The place of a file of the build. */
export function distFile(path) {
  const file = new URL(path, dist);
  if (!existsSync(file)) {
    process.stderr.write(`${path} is not built. Run: npm run build\n`);
    process.exit(2);
  }
  return pathToFileURL(file.pathname);
}

/** Imports a module of the build, such as `runtime/engine/engine.js`. */
export function fromDist(path) {
  return import(distFile(path).href);
}
