import { memoryShelf } from '../support/shelf.ts';
import { engineConformance } from './engine-conformance.ts';

engineConformance('memory', memoryShelf);
