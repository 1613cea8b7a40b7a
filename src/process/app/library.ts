/**
 * The HTTP API of an app. Its client is `@stoa/runtime/client`.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
export type * from './api-types.ts';
export { serve } from './serve.ts';
