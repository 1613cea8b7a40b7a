import { memoryShelf } from '../support/shelf.ts';
import { ENGINE_PARTS, engineConformance } from './engine-conformance.ts';

engineConformance('memory', memoryShelf, ENGINE_PARTS);
