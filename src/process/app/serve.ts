import { AppError } from '../../domain/common/error.ts';
import type { ActorEngine } from '../../runtime/engine/types.ts';
import { isLoopback } from '../../transport/http/address.ts';
import type { ServedApp, ServeOptions } from './api-types.ts';

const HOST = '127.0.0.1';
const PORT_MAX = 65_535;
const TOKEN = /^[\w-]{16,128}$/;

/**
 * Serves an app over HTTP: start, send, query, result, journal, list, and its `openapi.json`. It
 * ends with `app.close()`, and keeps the process alive until then.
 *
 * @param target - An app from `durable`, or an engine. Pass `definitions` with an engine.
 * @throws {AppError} `CONFIG_INVALID` if an option is not allowed, or if an address that other
 *   machines reach has no token; `PORT_IN_USE`.
 * @example
 * const { url } = await serve(app, { port: 8080 });
 */
export async function serve(
  target: ActorEngine | { readonly engine: ActorEngine },
  options: ServeOptions = {},
): Promise<ServedApp> {
  const { host = HOST, port = 0, token } = options;
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) {
    throw optionError('port', port, `an integer from 0 to ${PORT_MAX}`);
  }
  if (token !== undefined && !TOKEN.test(token)) {
    throw optionError('token', `${token.length} characters`, '16 to 128 of A-Z a-z 0-9 _ -');
  }
  if (!isLoopback(host) && token === undefined) {
    throw optionError('host', host, 'a loopback address unless a token is set');
  }
  // Loaded on demand, so that importing does nothing else.
  const { startApi } = await import('./start-api.ts');
  return startApi('engine' in target ? target.engine : target, { ...options, host, port });
}

function optionError(name: string, received: unknown, allowed: string): AppError {
  const message = `${name} is ${String(received)}; it must be ${allowed}.`;
  return new AppError('CONFIG_INVALID', { message, data: { name, received, allowed } });
}
