import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AppError } from '../domain/error.ts';
import { readReady } from '../process/ready-file.ts';
import { openToken } from '../process/token-file.ts';

/** `stoa faucet --to 0x… --usd 10 [--data DIR]`: test money from the running server. */
export async function faucet(argv: readonly string[]): Promise<number> {
  const flags = readFlags(argv);
  const dataDir = resolve(flags.data);
  const ready = readReady(dataDir);
  if (ready === undefined) {
    throw new AppError('NOT_CONFIGURED', {
      message: 'No server runs on this data directory; start one with `npm start`.',
      data: { data_dir: dataDir },
    });
  }
  const answer = await fetch(`${ready.base_url}/dev/faucet`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${openToken(dataDir).token}`,
    },
    body: JSON.stringify({ to: flags.to, usd: flags.usd }),
    signal: AbortSignal.timeout(30_000),
  });
  (answer.ok ? process.stdout : process.stderr).write(`${await answer.text()}\n`);
  return answer.ok ? 0 : 1;
}

function readFlags(argv: readonly string[]): { to: string; usd: string; data: string } {
  try {
    const { to, usd, data } = parseArgs({
      args: [...argv],
      options: {
        to: { type: 'string' },
        usd: { type: 'string', default: '10' },
        data: { type: 'string', default: './data' },
      },
    }).values;
    if (to === undefined) throw new AppError('CONFIG_INVALID', { message: '--to is missing.' });
    return { to, usd, data };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('CONFIG_INVALID', { message: String((cause as Error).message), cause });
  }
}
