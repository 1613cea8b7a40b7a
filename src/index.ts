/**
 * The server as a library: `startStoa(parseConfig(flags, environment), notice)`. Importing it has
 * no side effects. The actor engine alone is `@stoa/runtime`.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
export { type Config, type Environment, parseConfig } from './config.ts';
export { AppError, ERRORS, type ErrorBody, type ErrorCode } from './domain/common/error.ts';
export { type Notice, type Stoa, startStoa } from './main.ts';
export type { Ready } from './process/server/ready-file.ts';
