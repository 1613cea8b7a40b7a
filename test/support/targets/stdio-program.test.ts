import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { targetNamed } from './all-targets.ts';
import { type StdioProgram, stdioProgram } from './stdio-program.ts';
import type { Variant } from './target.ts';

let program: StdioProgram;
beforeAll(async () => {
  program = await stdioProgram();
});
afterAll(() => program.remove());

test.each([
  ['secrets-in-results', false],
  ['secrets-in-results', true],
  ['poisoned-description', false],
  ['poisoned-description', true],
])('%s is served over stdio; fixed: %s', async (name, fixed) => {
  const variant: Variant = { seed: 0, fixed };
  const { weakSpot } = await targetNamed(name).make(variant);
  const client = new Client({ name: 'steps', version: '1' });
  const { command, args } = program.command(name, variant);
  await client.connect(new StdioClientTransport({ command, args: [...args], stderr: 'ignore' }));
  try {
    const { tools } = await client.listTools();
    const payload = weakSpot.argumentsWith('USD');
    const answer = await client.callTool({ name: String(tools[0]?.name), arguments: payload });
    const seen = [client.getInstructions(), tools, answer].map((part) => JSON.stringify(part));
    expect(answer.isError).not.toBe(true);
    expect(seen.join('\n').includes(asWritten(weakSpot.marker))).toBe(!fixed);
  } finally {
    await client.close();
  }
});

// As it stands within JSON.
function asWritten(marker: string): string {
  return JSON.stringify(marker).slice(1, -1);
}
