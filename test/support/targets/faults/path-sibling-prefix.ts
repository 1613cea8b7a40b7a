import { isAbsolute, resolve } from 'node:path';
import { type Resolve, shelfTarget } from '../parts/file-shelf.ts';

const beginsAlike: Resolve = (shelf, given) => {
  if (isAbsolute(given)) return undefined;
  const path = resolve(shelf.root, given);
  return path.startsWith(shelf.root) ? path : undefined;
};

/** A folder beside the root whose name begins like it counts as inside. */
export const pathSiblingPrefix = shelfTarget({
  name: 'path-sibling-prefix',
  fault: 'Folders beside the root whose name begins with the name of the root can be read.',
  resolve: () => beginsAlike,
});
