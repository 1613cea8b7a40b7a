import { z } from 'zod';
import { readTextWithin } from '../../domain/common/bounded-bytes.ts';
import { askServer } from '../common/ask-server.ts';
import type { Input } from '../common/usage.ts';
import type { OPERATE } from '../usage/operate.ts';

const Link = z.object({ url: z.string(), expires_at: z.string() });

/** `stoa console`: prints a one-time link to the console of the running server. */
export async function openConsole({ data }: Input<typeof OPERATE.console>): Promise<number> {
  const answer = await askServer({ data, path: '/console/link', body: {} });
  const text = await readTextWithin(answer.body);
  if (!answer.ok) {
    process.stderr.write(`${text}\n`);
    return 1;
  }
  const link = Link.parse(JSON.parse(text));
  process.stdout.write(`${link.url}\n`);
  process.stderr.write(`stoa: the link works once, until ${link.expires_at}\n`);
  return 0;
}
