import type { HttpEngine } from '../../src/transport/http/host.ts';

/** Node versions (by ABI) for which the pinned uWebSockets.js package brings a native binary. */
const UWS_ABIS = ['93', '108', '115'];

/**
 * True where the native engine must load. On other versions its tests do not exist, and `npm test`
 * says so; here a binary that does not load is a failure.
 */
export const HAS_NATIVE = UWS_ABIS.includes(process.versions.modules);

/** The engines that tests run over. */
export const ENGINES: readonly HttpEngine[] = HAS_NATIVE ? ['uws', 'node'] : ['node'];
