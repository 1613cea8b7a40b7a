import { AppError } from '../../domain/common/error.ts';
import { isLoopback } from './address.ts';
import type { HostOptions, HttpHost } from './host.ts';
import { NodeHost } from './node-host.ts';
import { UwsHost } from './uws/uws-host.ts';
import { loadUws } from './uws/uws-native.ts';

/** What `--http` takes. */
export type HttpChoice = 'auto' | 'uws' | 'node';

/**
 * Makes the engine that `--http` asks for. `auto` takes uWebSockets.js where a native binary loads
 * and, with the repackaged one, only on a loopback address (behind a proxy); otherwise node:http.
 *
 * @param bindHost - The address that will be listened on.
 * @throws {AppError} `CONFIG_INVALID` when `uws` is asked for and no native binary fits.
 */
export function chooseHost(choice: HttpChoice, bindHost: string, options: HostOptions): HttpHost {
  if (choice === 'node') return new NodeHost(options);
  const native = loadUws();
  if (choice === 'uws') {
    if (native !== undefined) return new UwsHost(native, options);
    throw new AppError('CONFIG_INVALID', {
      message: 'No native uWebSockets.js binary fits this platform and Node; use --http node.',
      data: { platform: process.platform, arch: process.arch, node: process.version },
    });
  }
  if (native === undefined) return new NodeHost(options);
  const isAllowed = native.isOfficial || isLoopback(bindHost);
  return isAllowed ? new UwsHost(native, options) : new NodeHost(options);
}
