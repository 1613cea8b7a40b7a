import { delayedShelf } from '../support/delayed-store.ts';
import { engineConformance, QUEUE_PARTS } from './engine-conformance.ts';

engineConformance('delayed', delayedShelf, QUEUE_PARTS);
