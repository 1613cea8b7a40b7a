import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { askServer } from '../common/ask-server.ts';
import { readFlags } from '../common/flags.ts';

/** `stoa faucet --to 0x… --usd 10 [--data DIR]`: sends test money from the running server. */
export async function faucet(argv: readonly string[]): Promise<number> {
  const { to, usd, data } = readFlags(argv, {
    to: { type: 'string' },
    usd: { type: 'string', default: '10' },
    data: { type: 'string', default: './data' },
  });
  if (to === undefined) throw new AppError('CONFIG_INVALID', { message: '--to is missing.' });
  const answer = await askServer({ data, path: '/dev/faucet', body: { to, usd } });
  (answer.ok ? process.stdout : process.stderr).write(`${await readTextWithin(answer.body)}\n`);
  return answer.ok ? 0 : 1;
}
