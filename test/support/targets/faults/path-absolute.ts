import { isAbsolute } from 'node:path';
import { insideOnly, type Resolve, shelfTarget } from '../parts/file-shelf.ts';

const WAYS: readonly Resolve[] = [
  (shelf, given) => (isAbsolute(given) ? given : insideOnly(shelf, given)),
  (shelf, given) => {
    const path = given.startsWith('file://') ? given.slice('file://'.length) : undefined;
    return path ?? insideOnly(shelf, given);
  },
  (shelf, given) =>
    isAbsolute(given) || /^[a-z]:[\\/]/i.test(given) ? given : insideOnly(shelf, given),
  (shelf, given) => {
    const isHome = given.startsWith('~/');
    if (isHome) return `/root/${given.slice(2)}`;
    return isAbsolute(given) ? given : insideOnly(shelf, given);
  },
];

/** An absolute path is read as it is. */
export const pathAbsolute = shelfTarget({
  name: 'path-absolute',
  fault: 'Files anywhere can be read by their absolute path.',
  resolve: (variation) => variation.pick('absolute.way', WAYS),
});
