import type { ListenOptions, TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { HEADER_BYTES_MAX } from '../host.ts';

/** The official application type, with a `listen` overload that its types omit. */
export type UwsApp = TemplatedApp & {
  listen(
    host: string,
    port: number,
    options: ListenOptions,
    listener: (socket: us_listen_socket | false) => void,
  ): TemplatedApp;
};

/** The part of the official API that the server uses. */
export interface UwsApi {
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: ListenOptions;
  App(): UwsApp;
  us_listen_socket_close(socket: us_listen_socket): void;
  us_socket_local_port(socket: us_listen_socket): number;
}

/** A native binary that fits this Node version, and whether it is the official package. */
export interface UwsNative {
  readonly api: UwsApi;
  readonly binary: string;
  readonly isOfficial: boolean;
}

/** Installs the package that `package.json` pins; it is too large to come with the server. */
export const UWS_INSTALL =
  'uWebSockets.js@npm:@trufflesuite/uws-js-unofficial@20.30.0-unofficial.0';

/** Whether the package is installed; its binaries may still not fit this Node version. */
export function isUwsInstalled(): boolean {
  return packageRoot(createRequire(import.meta.url)) !== undefined;
}

/**
 * Loads the native binary directly, never a package's JavaScript fallback. A fallback is as slow as
 * node:http while it claims to be native.
 *
 * @returns `undefined` when no binary fits this platform and Node version.
 */
export function loadUws(): UwsNative | undefined {
  const require = createRequire(import.meta.url);
  const root = packageRoot(require);
  if (root === undefined) return undefined;
  const file = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const binary = [join(root, file), join(root, 'binaries', file)].find((one) => existsSync(one));
  if (binary === undefined) return undefined;
  // The binary reads the head limit once, when it loads.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= String(HEADER_BYTES_MAX);
  try {
    const api: UwsApi = require(binary);
    return { api, binary, isOfficial: !isRepackaged(root) };
  } catch {
    return undefined;
  }
}

function packageRoot(require: NodeJS.Require): string | undefined {
  try {
    return dirname(require.resolve('uWebSockets.js/package.json'));
  } catch {
    return undefined;
  }
}

function isRepackaged(root: string): boolean {
  const manifest: { name?: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return manifest.name !== 'uWebSockets.js';
}
