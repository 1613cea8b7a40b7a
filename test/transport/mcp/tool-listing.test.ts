import { expect, test } from 'vitest';
import { PAGE_BYTES_MAX, ToolListing } from '../../../src/transport/mcp/tool-listing.ts';

const NAMES = Array.from({ length: 100 }, (_, at) => `tool_${at}`);
const TOOLS = NAMES.map((name) => ({ name, description: 'x'.repeat(2_000) }));
const listing = new ToolListing(JSON.stringify({ tools: TOOLS }), [{ name: 'appended' }]);

function pageAt(cursor: unknown) {
  const text = listing.result({ cursor, isPacked: false });
  if (text === undefined) return undefined;
  const { tools, nextCursor } = JSON.parse(text) as {
    readonly tools: readonly { readonly name: string }[];
    readonly nextCursor?: string;
  };
  return { names: tools.map(({ name }) => name), nextCursor, bytes: Buffer.byteLength(text) };
}

test('pages lead through every tool, once and in order', () => {
  const names: string[] = [];
  let page = pageAt(undefined);
  let pages = 0;
  while (page !== undefined) {
    expect(page.bytes).toBeLessThan(PAGE_BYTES_MAX + 100);
    names.push(...page.names);
    pages += 1;
    page = page.nextCursor === undefined ? undefined : pageAt(page.nextCursor);
  }
  expect(names).toEqual([...NAMES, 'appended']);
  expect(pages).toBe(4);
});

test('a client that unpacks gets everything at once', () => {
  const { tools } = JSON.parse(listing.result({ cursor: undefined, isPacked: true }) ?? '');
  expect(tools).toHaveLength(NAMES.length + 1);
});

test('an unknown cursor leads nowhere', () => {
  for (const cursor of ['nobody', '', 7, null]) expect(pageAt(cursor)).toBeUndefined();
});
