import { memoryShelf } from '../support/shelf.ts';
import { engineConformance, QUEUE_PARTS } from './engine-conformance.ts';

engineConformance('memory', memoryShelf, QUEUE_PARTS);
