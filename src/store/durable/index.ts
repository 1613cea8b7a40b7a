/**
 * Durable actors from XState machines, as a library: `durable`, and everything of the engine below
 * it. `xstate` is a peer dependency; importing has no side effects. A folder as store needs `lmdb`.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
// biome-ignore-all lint/performance/noReExportAll: the package export; nothing inside imports it

export * from '../../runtime/index.ts';
export type { PayloadCodec, PayloadKeys } from '../engine/payload-codec.ts';
export { aesGcmCodec } from '../engine/payload-codec.ts';
export type { DurableOptions } from './durable.ts';
export { durable } from './durable.ts';
