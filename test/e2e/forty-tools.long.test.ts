import { afterAll, expect, test } from 'vitest';
import { proves } from '../support/proves.ts';
import { cleanUp, freshDataDir, startRealServer } from '../support/real-server.ts';
import { openWire } from '../support/wire-session.ts';
import { SPECIFIED_TOOLS, TOOL_NAMES } from '../tidy/tool-names.ts';

afterAll(cleanUp);

interface Listed {
  readonly name: string;
  readonly _meta?: { readonly price?: { readonly amount: string } };
}

test('a started server offers the forty tools, and most of the priced ones cost less than a dollar', {
  timeout: 120_000,
}, async () => {
  proves('C1.i6.c1', 'C8.t9', 'C9.i2.c1', 'C1.i2.c4');
  const server = await startRealServer(freshDataDir());
  const { message } = await (await openWire(server.ready.mcp_v1)).ask('tools/list');
  const { tools } = message.result as unknown as { readonly tools: readonly Listed[] };
  expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES.commerce);
  const specified = tools.slice(0, 40);
  expect(specified.map(({ name }) => name)).toEqual(SPECIFIED_TOOLS.commerce);
  const prices = specified.flatMap(({ _meta }) => _meta?.price?.amount ?? []).map(Number);
  const cheap = prices.filter((price) => price < 1);
  expect([prices.length, cheap.length]).toEqual([38, 33]);
  expect(cheap.length).toBeGreaterThan(prices.length / 2);
  expect(await server.stop()).toBe(0);
});
