/**
 * The server as a library. Importing it has no side effects. The actor engine alone is
 * `@stoa/runtime`.
 *
 * @module
 */
// biome-ignore-all lint/performance/noBarrelFile: the package export; nothing inside imports it
import { parseConfig } from './config.ts';
import { startStoa as startServer } from './main.ts';
import type { Notice, Stoa } from './process/server/stoa.ts';

export { AppError, ERRORS, type ErrorBody, type ErrorCode } from './domain/common/error.ts';
export type { Ready } from './process/server/ready.ts';
export type { Notice, Stoa } from './process/server/stoa.ts';

/**
 * Starts a server as `stoa serve` does.
 *
 * @param flags - Those of `stoa serve`, such as `['--port', '0']`.
 * @param env - The environment variables that configure it, such as `process.env`.
 * @param notice - Receives the lines for the operator.
 * @throws {AppError} `CONFIG_INVALID` with the flag or variable, the value received and the values
 * allowed; `NOT_CONFIGURED`, `PORT_IN_USE`, and the errors of a data directory: `DATA_DIR_BUSY`,
 * `DATA_DIR_UNUSABLE`, `DATA_DAMAGED`, `STORE_FULL`, `STORE_NEWER`
 *
 * @example
 * const server = await startStoa(['--port', '0'], process.env, console.error);
 * console.log(server.ready.mcp);
 */
export async function startStoa(
  flags: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  notice: Notice,
): Promise<Stoa> {
  return startServer(parseConfig(flags, env), notice);
}
