import { resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { runStdioClient } from '../../process/server/stdio-client.ts';
import { readFlags } from '../common/flags.ts';
import { reachDaemon } from '../common/reach-daemon.ts';

/**
 * `stoa stdio --server commerce|hosting [--data DIR] [--toolsets a,b] [--read-only]`: forwards MCP
 * over stdio to the daemon.
 */
export async function stdio(argv: readonly string[]): Promise<number> {
  const flags = readFlags(argv, {
    server: { type: 'string', default: 'commerce' },
    data: { type: 'string', default: './data' },
    toolsets: { type: 'string', default: '' },
    'read-only': { type: 'boolean', default: false },
  });
  const { server, data } = flags;
  if (server !== 'commerce' && server !== 'hosting') {
    throw new AppError('CONFIG_INVALID', {
      message: `--server is ${JSON.stringify(server)}; it must be commerce or hosting.`,
    });
  }
  const dataDir = resolve(data);
  const passportId = process.env['STOA_PASSPORT_ID'];
  const toolsets = flags.toolsets.split(',').filter((name) => name.trim() !== '');
  try {
    await runStdioClient({
      server,
      ...(toolsets.length === 0 ? {} : { toolsets: toolsets.map((name) => name.trim()) }),
      readOnly: flags['read-only'],
      ...(passportId === undefined || passportId === '' ? {} : { passportId }),
      input: process.stdin,
      output: process.stdout,
      reach: () => reachDaemon(dataDir),
    });
  } finally {
    // If the daemon refuses, exit even though the client still holds the pipe open.
    process.stdin.destroy();
  }
  return 0;
}
