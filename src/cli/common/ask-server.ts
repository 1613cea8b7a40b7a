import { resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { readReady } from '../../process/server/ready-file.ts';
import { readToken } from '../../process/server/token-file.ts';

const ANSWER_TIMEOUT_MS = 30_000;

/** A request to the running server, sent with the operator's token. */
export interface ServerRequest {
  /** The data directory, as on the command line. */
  readonly data: string;
  readonly path: string;
  readonly body: object;
}

/**
 * Sends a request to the server that runs on a data directory.
 *
 * @throws {AppError} `NOT_CONFIGURED` if none runs there, `UNAUTHORIZED` without its token.
 */
export async function askServer({ data, path, body }: ServerRequest): Promise<Response> {
  const dataDir = resolve(data);
  const ready = readReady(dataDir);
  if (ready === undefined) throw notRunningError(dataDir);
  const token = readToken(dataDir);
  try {
    return await fetch(`${ready.base_url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
  } catch (cause) {
    // A killed server leaves its ready file behind.
    throw notRunningError(dataDir, cause);
  }
}

/** Creates the error for a data directory without a running server. */
export function notRunningError(dataDir: string, cause?: unknown): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: 'No server runs on this data directory. Start one with `npm start`.',
    data: { data_dir: dataDir },
    cause,
  });
}
