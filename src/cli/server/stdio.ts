import { resolve } from 'node:path';
import { runStdioClient } from '../../process/stdio/stdio-client.ts';
import { reachDaemon } from '../common/reach-daemon.ts';
import type { Input } from '../common/usage.ts';
import type { SERVE } from '../usage/serve.ts';

/** `stoa stdio`: forwards MCP over stdio to the daemon. */
export async function stdio(flags: Input<typeof SERVE.stdio>): Promise<number> {
  const dataDir = resolve(flags.data);
  const passportId = process.env['STOA_PASSPORT_ID'];
  const toolsets = (flags.toolsets ?? '').split(',').filter((name) => name.trim() !== '');
  try {
    await runStdioClient({
      server: flags.server,
      ...(toolsets.length === 0 ? {} : { toolsets: toolsets.map((name) => name.trim()) }),
      readOnly: flags['read-only'],
      search: flags.search,
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
