import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { askServer } from '../common/ask-server.ts';
import type { Input } from '../common/usage.ts';
import type { MONEY } from '../usage/money.ts';

/** `stoa faucet`: sends test money from the running server. */
export async function faucet({ to, usd, data }: Input<typeof MONEY.faucet>): Promise<number> {
  const answer = await askServer({ data, path: '/dev/faucet', body: { to, usd } });
  (answer.ok ? process.stdout : process.stderr).write(`${await readTextWithin(answer.body)}\n`);
  return answer.ok ? 0 : 1;
}
