import { lmdbShelf } from '../support/shelf.ts';
import { engineConformance, QUEUE_PARTS } from './engine-conformance.ts';

engineConformance('lmdb', () => lmdbShelf(), QUEUE_PARTS);
