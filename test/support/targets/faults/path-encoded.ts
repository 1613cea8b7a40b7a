import { join } from 'node:path';
import { insideOnly, type Resolve, type Shelf, shelfTarget } from '../parts/file-shelf.ts';

/** The filter looks at the text before it is decoded. */
const DECODERS: readonly ((text: string) => string)[] = [
  decoded,
  (text) => decoded(decoded(text)),
  (text) => text.replaceAll('\\', '/'),
  (text) => text.replaceAll('../', ''),
  (text) => text.normalize('NFKC'),
];

/** Two dots in another writing lead out of the folder. */
export const pathEncoded = shelfTarget({
  name: 'path-encoded',
  fault: 'The path is checked before it is decoded.',
  resolve: (variation) => {
    const decode = variation.pick('encoded.way', DECODERS);
    const isStripped = decode('....//') === '../';
    const find: Resolve = (shelf, given) => {
      const isRefused = given.startsWith('/') || (!isStripped && holdsStep(given));
      if (isRefused) return undefined;
      const meant = decode(given);
      return meant === given ? insideOnly(shelf, given) : below(shelf, meant);
    };
    return find;
  },
});

function holdsStep(text: string): boolean {
  return text.split('/').includes('..');
}

function below(shelf: Shelf, meant: string): string {
  return meant.startsWith('/') ? meant : join(shelf.root, meant);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
