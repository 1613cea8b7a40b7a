import { resolve } from 'node:path';
import { AppError } from '../domain/error.ts';
import { type Ready, readReady } from '../process/ready-file.ts';
import { readToken } from '../process/token-file.ts';
import { readFlags } from './flags.ts';

const ANSWER_TIMEOUT_MS = 30_000;

/** `stoa faucet --to 0x… --usd 10 [--data DIR]`: test money from the running server. */
export async function faucet(argv: readonly string[]): Promise<number> {
  const { to, usd, data } = readFlags(argv, {
    to: { type: 'string' },
    usd: { type: 'string', default: '10' },
    data: { type: 'string', default: './data' },
  });
  if (to === undefined) throw new AppError('CONFIG_INVALID', { message: '--to is missing.' });
  const dataDir = resolve(data);
  const ready = readReady(dataDir);
  if (ready === undefined) throw notRunning(dataDir);
  const answer = await ask(ready, { to, usd, dataDir });
  (answer.ok ? process.stdout : process.stderr).write(`${await answer.text()}\n`);
  return answer.ok ? 0 : 1;
}

async function ask(
  ready: Ready,
  { to, usd, dataDir }: { readonly to: string; readonly usd: string; readonly dataDir: string },
): Promise<Response> {
  const token = readToken(dataDir);
  try {
    return await fetch(`${ready.base_url}/dev/faucet`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ to, usd }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
  } catch (cause) {
    // A server that was killed leaves its ready line behind.
    throw notRunning(dataDir, cause);
  }
}

function notRunning(dataDir: string, cause?: unknown): AppError {
  return new AppError('NOT_CONFIGURED', {
    message: 'No server runs on this data directory; start one with `npm start`.',
    data: { data_dir: dataDir },
    cause,
  });
}
