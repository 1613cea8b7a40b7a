import { AppError } from '../../domain/common/error.ts';
import { isLoopback } from './address.ts';
import type { HttpHost } from './host.ts';
import type { HostOptions } from './host-options.ts';
import { NodeHost } from './node/node-host.ts';
import { UwsHost } from './uws/uws-host.ts';
import { isUwsInstalled, loadUws, UWS_INSTALL } from './uws/uws-native.ts';

/** The values of `--http`. */
export type HttpChoice = 'auto' | 'uws' | 'node';

/**
 * Creates the HTTP engine that `--http` selects. `auto` selects uWebSockets.js when a native binary
 * loads, else node:http. A repackaged binary is used only on a loopback address, behind a proxy.
 *
 * @param bindHost - The address to listen on.
 * @throws {AppError} `NOT_CONFIGURED` when `uws` is selected and not installed, `CONFIG_INVALID`
 *   when its binaries do not fit.
 */
export function chooseHost(choice: HttpChoice, bindHost: string, options: HostOptions): HttpHost {
  if (choice === 'node') return new NodeHost(options);
  const native = loadUws();
  if (choice === 'uws') {
    if (native !== undefined) return new UwsHost(native, options);
    if (!isUwsInstalled()) {
      throw new AppError('NOT_CONFIGURED', {
        message:
          `The package uWebSockets.js is not installed. Run \`npm install ${UWS_INSTALL}\`, ` +
          'or use `--http node`.',
        data: { missing: 'uWebSockets.js' },
      });
    }
    throw new AppError('CONFIG_INVALID', {
      message: 'No native uWebSockets.js binary fits this platform and Node; use `--http node`.',
      data: { platform: process.platform, arch: process.arch, node: process.version },
    });
  }
  if (native === undefined) return new NodeHost(options);
  const isAllowed = native.isOfficial || isLoopback(bindHost);
  return isAllowed ? new UwsHost(native, options) : new NodeHost(options);
}
