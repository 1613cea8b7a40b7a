import { resolve } from 'node:path';
import { AppError } from '../domain/error.ts';
import { runStdioClient } from '../process/stdio-client.ts';
import { readFlags } from './flags.ts';
import { reachDaemon } from './reach.ts';

/** `stoa stdio --server commerce [--data DIR]`: a thin client of the daemon. */
export async function stdio(argv: readonly string[]): Promise<number> {
  const { server, data } = readFlags(argv, {
    server: { type: 'string', default: 'commerce' },
    data: { type: 'string', default: './data' },
  });
  if (server !== 'commerce') {
    throw new AppError('CONFIG_INVALID', {
      message: `--server is ${JSON.stringify(server)}; it must be commerce.`,
    });
  }
  const dataDir = resolve(data);
  await runStdioClient({
    server,
    input: process.stdin,
    output: process.stdout,
    reach: () => reachDaemon(dataDir),
  });
  return 0;
}
