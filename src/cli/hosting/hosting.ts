import { resolve } from 'node:path';
import { AppError } from '../../domain/common/error.ts';
import { stopHosting } from '../../process/hosting/stop-hosting.ts';
import { readFlags } from '../common/flags.ts';

/**
 * `stoa hosting stop [--data DIR] [--json]`: stops the programs and the router of hosted services,
 * which outlive the server. The server must be stopped.
 */
export async function hosting([action, ...argv]: readonly string[]): Promise<number> {
  if (action !== 'stop') {
    throw new AppError('CONFIG_INVALID', {
      message: `stoa hosting received ${JSON.stringify(action ?? '')}; the only action is stop.`,
      data: { received: action ?? '', allowed: ['stop'] },
    });
  }
  const flags = readFlags(argv, {
    data: { type: 'string', default: './data' },
    json: { type: 'boolean', default: false },
  });
  const stopped = await stopHosting(resolve(flags.data));
  const { programs, router } = stopped;
  const words = `Stopped ${programs} programs and ${router ? 'the router' : 'no router'}.`;
  process.stdout.write(`${flags.json ? JSON.stringify(stopped) : words}\n`);
  return 0;
}
