import { lmdbShelf } from '../support/shelf.ts';
import { ENGINE_PARTS, engineConformance } from './engine-conformance.ts';

engineConformance('lmdb', () => lmdbShelf(), ENGINE_PARTS);
