import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '../domain/error.ts';
import { runStdioClient } from '../process/stdio-client.ts';
import { reachDaemon } from './reach.ts';

/** `stoa stdio --server commerce [--data DIR]`: a thin client of the daemon. */
export async function stdio(argv: readonly string[]): Promise<number> {
  const { server, data } = readFlags(argv);
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

function readFlags(argv: readonly string[]): { server: string; data: string } {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        server: { type: 'string', default: 'commerce' },
        data: { type: 'string', default: './data' },
      },
    }).values;
  } catch (cause) {
    throw new AppError('CONFIG_INVALID', { message: String((cause as Error).message), cause });
  }
}
