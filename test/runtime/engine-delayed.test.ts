import { delayedShelf } from '../support/delayed-store.ts';
import { ENGINE_PARTS, engineConformance } from './engine-conformance.ts';

engineConformance('delayed', delayedShelf, ENGINE_PARTS);
