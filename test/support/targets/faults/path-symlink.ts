import { isAbsolute, resolve, sep } from 'node:path';
import { type Resolve, shelfTarget } from '../parts/file-shelf.ts';

const byNameOnly: Resolve = (shelf, given) => {
  if (isAbsolute(given)) return undefined;
  const path = resolve(shelf.root, given);
  return path === shelf.root || path.startsWith(shelf.root + sep) ? path : undefined;
};

/** A link inside the folder leads out of it. */
export const pathSymlink = shelfTarget({
  name: 'path-symlink',
  fault: 'Links inside the folder are followed to files outside.',
  hasLink: true,
  resolve: () => byNameOnly,
});
