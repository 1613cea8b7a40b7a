import { isAbsolute, join } from 'node:path';
import { insideOnly, type Resolve, shelfTarget } from '../parts/file-shelf.ts';

const WAYS: readonly Resolve[] = [
  (shelf, given) => (isAbsolute(given) ? undefined : join(shelf.root, given)),
  // Only the beginning is looked at.
  (shelf, given) =>
    isAbsolute(given) || given.startsWith('..') ? undefined : join(shelf.root, given),
  // Only a path that ends like a text is looked at closely.
  (shelf, given) =>
    isAbsolute(given) || given.endsWith('.md') ? insideOnly(shelf, given) : join(shelf.root, given),
];

/** Two dots lead out of the folder. */
export const pathDotDot = shelfTarget({
  name: 'path-dot-dot',
  fault: 'Files outside of the folder can be read with two dots in the path.',
  resolve: (variation) => variation.pick('dots.way', WAYS),
});
