import { lmdbShelf } from '../support/shelf.ts';
import { engineConformance } from './engine-conformance.ts';

engineConformance('lmdb', lmdbShelf);
