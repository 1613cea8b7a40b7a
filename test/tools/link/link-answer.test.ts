import { afterEach, expect, test } from 'vitest';
import type { DataAnswer } from '../../../src/domain/data/envelope.ts';
import type { LinkReport } from '../../../src/domain/link/records.ts';
import type { ToolContext } from '../../../src/domain/tool/tool.ts';
import type { ToolResult } from '../../../src/domain/tool/tool-result.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { linkIntegrityTool } from '../../../src/tools/link/ops_link-integrity.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { httpLoopback, type Loopback } from '../../support/loopback.ts';
import { realClock } from '../../support/real-clock.ts';
import { envelopeFaults } from '../../support/sold-tool.ts';

const { trust } = createMemoryPaymentChain();
const servers: Loopback[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function site(reply: Parameters<typeof httpLoopback>[0]): Promise<Loopback> {
  const server = await httpLoopback(reply);
  servers.push(server);
  return server;
}

function toolFor(hosts: readonly Loopback[]) {
  const allowHosts = hosts.map((server) => server.host);
  const egress = createEgress({ clock: realClock, userAgent: 'test/1', allowHosts });
  return linkIntegrityTool({ egress, clock: realClock, trust });
}

const context: ToolContext = {
  principal: { kind: 'local', id: 'test' },
  paymentId: 'pay_1',
  signal: new AbortController().signal,
  progress: () => undefined,
};

type Tool = ReturnType<typeof linkIntegrityTool>;
const call = (tool: Tool, input: unknown) => tool.run(tool.input.parse(input), context);
const answer = (result: ToolResult) =>
  result.structuredContent as unknown as DataAnswer & { data: LinkReport };
const report = (result: ToolResult): LinkReport => answer(result).data;
const firstLine = (result: ToolResult) => {
  const [block] = result.content;
  return block?.type === 'text' ? block.text.split('\n')[0] : undefined;
};

const PAGE = '<h1 id="one">x</h1><a name="two"></a><!-- <p id="three"> --><p id="é">';

test('with check_fragments a link to an anchor works only where the page has it', async () => {
  const server = await site((request, response) => {
    const isPage = request.url === '/page';
    response.writeHead(200, { 'content-type': isPage ? 'text/html' : 'application/pdf' });
    response.end(request.method === 'HEAD' ? '' : PAGE);
  });
  const tool = toolFor([server]);
  const check = async (path: string, mode = 'anchor') => {
    const input = { urls: [`${server.url}${path}`], check_fragments: mode };
    const [one] = report(await call(tool, input)).results;
    return [one?.class, one?.anchors?.map(({ found }) => found)];
  };
  expect(await check('/page#one')).toEqual(['ok', [true]]);
  expect(await check('/page#two')).toEqual(['ok', [true]]);
  expect(await check('/page#%C3%A9')).toEqual(['ok', [true]]);
  expect(await check('/page#three')).toEqual(['anchor_missing', [false]]);
  expect(await check('/page#three', 'none')).toEqual(['ok', undefined]);
  expect(await check('/page#/route')).toEqual(['ok', undefined]);
  // A document of another kind has no anchors that could be told.
  expect(await check('/file#page=2')).toEqual(['ok', [null]]);
});

test('anchors of one page are looked for together, in one reading', async () => {
  const server = await site((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(PAGE);
  });
  const task_text = ['#one', '#two', '#nine', ''].map((part) => `${server.url}/${part}`).join(' ');
  const result = await call(toolFor([server]), { task_text, check_fragments: 'anchor' });
  expect(server.hits).toEqual(['HEAD /', 'GET /']);
  expect(firstLine(result)).toBe('FAIL: 1 of 1 links do not work.');
  expect(report(result).results[0]?.anchors).toEqual([
    { anchor: 'one', found: true },
    { anchor: 'two', found: true },
    { anchor: 'nine', found: false },
  ]);
});

test('every answer of a host is a source, and what has no verdict is missing with its fault', async () => {
  const server = await site((_request, response) => {
    response.end();
  });
  const limited = await site((_request, response) => {
    response.writeHead(429, { 'retry-after': '3600' });
    response.end();
  });
  const tool = toolFor([server, limited]);
  const result = await call(tool, { urls: [`${server.url}/200`, `${limited.url}/`] });
  const { coverage, faults, sources } = answer(result);
  expect(coverage).toEqual({ asked: 2, answered: 1, missing: [`${limited.url}/`] });
  expect(faults.map(({ upstream, code }) => [upstream, code])).toEqual([
    [limited.host, 'rate_limited'],
  ]);
  expect(sources.map(({ url, http_status }) => [url, http_status])).toEqual([
    ['urn:stoa:link-observations', null],
    [`${server.url}/200`, 200],
    [`${limited.url}/`, 429],
  ]);
  expect(envelopeFaults({ ...result.structuredContent })).toEqual([]);
});
