import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Tool } from '../../../../src/domain/tool/tool.ts';
import { commerceTools } from '../../../../src/tools/service/catalog.ts';
import { hostingTools } from '../../../../src/tools/service/hosting-catalog.ts';
import { loadToolRanking } from '../../../../src/tools/service/search/load-ranking.ts';
import phrases from '../../../../src/tools/service/search/phrases.json' with { type: 'json' };
import { createToolRanking } from '../../../../src/tools/service/search/rank-tools.ts';
import { NOTHING } from '../nothing.ts';

interface Asked {
  readonly request: string;
  readonly tool: string;
}
/** Requests in everyday words, written by somebody who knew neither the ranking nor its phrases. */
const REQUESTS = JSON.parse(
  readFileSync(new URL('requests.json', import.meta.url), 'utf8'),
) as Readonly<Record<'commerce' | 'hosting', readonly Asked[]>>;
const TOOLS: Readonly<Record<keyof typeof REQUESTS, readonly Tool[]>> = {
  commerce: commerceTools(NOTHING as never),
  hosting: hostingTools(NOTHING as never),
};
const GOAL = { first: 0.9, amongFive: 0.98 } as const;

test.each(['commerce', 'hosting'] as const)('the right tool of %s comes first', async (server) => {
  const rank = await loadToolRanking(TOOLS[server]);
  const places = REQUESTS[server].map(({ request, tool }) => rank(request).indexOf(tool));
  const share = (count: number) =>
    places.filter((place) => place >= 0 && place < count).length / places.length;
  const figure = `first ${share(1).toFixed(3)}, among five ${share(5).toFixed(3)}`;
  expect(share(1), figure).toBeGreaterThanOrEqual(GOAL.first);
  expect(share(5), figure).toBeGreaterThanOrEqual(GOAL.amongFive);
  process.stdout.write(`${server}: ${figure} of ${places.length} requests\n`);
});

test('the requests are 500, at least seven for each tool, and none is a phrase of the ranking', () => {
  const all = Object.values(REQUESTS).flat();
  expect(all.length).toBe(500);
  const known = new Set(Object.values(phrases).flat().map(flatten));
  expect(all.filter(({ request }) => known.has(flatten(request)))).toEqual([]);
  // A new tool has neither phrases nor requests yet.
  for (const name of Object.keys(phrases)) {
    expect(all.filter(({ tool }) => tool === name).length, name).toBeGreaterThanOrEqual(7);
  }
});

test('a tool without phrases is found by its own texts', () => {
  const rank = createToolRanking(TOOLS.commerce, {});
  expect(rank('translate Chinese')[0]).toBe('translation_zh-en');
});

test('no tool is returned for words that nobody knows, and none for no words', () => {
  const rank = createToolRanking(TOOLS.hosting, phrases);
  expect(['', '???', 'xyzzy plugh'].map(rank)).toEqual([[], [], []]);
});

test('phrases belong to tools', () => {
  const names = new Set(Object.values(TOOLS).flatMap((tools) => tools.map(({ name }) => name)));
  expect(Object.keys(phrases).filter((name) => !names.has(name))).toEqual([]);
});

function flatten(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
