import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { targetNamed } from './all-targets.ts';
import { SAFE_RULES } from './parts/front-rules.ts';
import { observation } from './parts/observed.ts';
import { serverOf } from './parts/sessions.ts';
import type { Variant } from './target.ts';

/** Serves one target over the streams of this process until its input ends. */
export async function serveStdio(name: string, variant: Variant): Promise<void> {
  const plan = await targetNamed(name).make(variant);
  const rules = { ...SAFE_RULES, ...plan.front, ...variant.front };
  const shared = { plan, rules, observed: observation(), connections: 1, listings: 0 };
  const server = serverOf(shared, 'stdio', 1);
  process.stdin.once('end', () => {
    void server.close().then(() => plan.close?.());
  });
  await server.connect(new StdioServerTransport());
}
