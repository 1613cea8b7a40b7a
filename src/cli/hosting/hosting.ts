import { resolve } from 'node:path';
import { stopHosting } from '../../process/hosting/stop-hosting.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

/**
 * `stoa hosting stop`: stops the programs and the router of hosted services, which outlive the
 * server. The server must be stopped.
 */
export async function stop({ data, json }: Input<typeof OPERATE.hostingStop>): Promise<number> {
  const stopped = await stopHosting(resolve(data));
  const { programs, router } = stopped;
  const words = `Stopped ${programs} programs and ${router ? 'the router' : 'no router'}.`;
  process.stdout.write(`${json ? JSON.stringify(stopped) : words}\n`);
  return 0;
}
