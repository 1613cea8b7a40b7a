import { aesGcmCodec } from '../../src/store/engine/payload-codec.ts';
import { lmdbShelf } from '../support/shelf.ts';
import { ENGINE_PARTS, engineConformance, QUEUE_PARTS } from './engine-conformance.ts';

const codec = aesGcmCodec({ keys: { k1: Buffer.alloc(32, 7) }, current: 'k1' });
const names = ['events', 'effects', 'messages', 'searching', 'trimming', 'queues'];
const parts = Object.entries({ ...ENGINE_PARTS, ...QUEUE_PARTS });

engineConformance(
  'encrypted',
  () => lmdbShelf(codec),
  Object.fromEntries(parts.filter(([name]) => names.includes(name))),
);
