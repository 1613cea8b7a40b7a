import { afterEach, expect, test } from 'vitest';
import type { Clock } from '../../../src/domain/common/clock.ts';
import { AppError } from '../../../src/domain/common/error.ts';
import type { DataAnswer } from '../../../src/domain/data/envelope.ts';
import type { LinkReport } from '../../../src/domain/link/records.ts';
import type { EgressPort } from '../../../src/domain/net/egress.ts';
import type { Progress, ToolContext } from '../../../src/domain/tool/tool.ts';
import type { ToolResult } from '../../../src/domain/tool/tool-result.ts';
import { createEgress } from '../../../src/providers/net/egress.ts';
import { linkIntegrityTool } from '../../../src/tools/link/ops_link-integrity.ts';
import { createMemoryPaymentChain } from '../../support/chain-memory/memory-chain.ts';
import { httpLoopback, type Loopback, tcpLoopback } from '../../support/loopback.ts';
import { proves } from '../../support/proves.ts';
import { realClock } from '../../support/real-clock.ts';

const { trust } = createMemoryPaymentChain();
const servers: Loopback[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function site(answer: Parameters<typeof httpLoopback>[0]): Promise<Loopback> {
  const server = await httpLoopback(answer);
  servers.push(server);
  return server;
}

const statuses = () =>
  site((request, response) => {
    const [, code, location] = (request.url ?? '').split('/');
    response.writeHead(
      Number(code || 200),
      location === undefined ? {} : { location: `/${location}` },
    );
    response.end();
  });

function toolFor(hosts: readonly Loopback[], clock: Clock = realClock) {
  const allowHosts = hosts.map((server) => server.host);
  const dns = async () => {
    throw Object.assign(new Error('no way out'), { code: 'EAI_AGAIN' });
  };
  return linkIntegrityTool({
    egress: createEgress({ clock: realClock, userAgent: 'test/1', allowHosts, dns }),
    clock,
    trust,
  });
}

const steps: Progress[] = [];
const context: ToolContext = {
  principal: { kind: 'local', id: 'test' },
  paymentId: 'pay_1',
  signal: new AbortController().signal,
  progress: (step) => {
    steps.push(step);
  },
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

test('the price, the flow and the four hints are as sold', () => {
  const tool = toolFor([]);
  expect(tool.name).toBe('ops_link-integrity');
  expect(tool.price).toEqual({ amount: '10000', flow: 'authorization' });
  expect(tool.annotations).toEqual({
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  });
});

test('links that all work are PASS, by HEAD alone, each address once', async () => {
  const server = await statuses();
  const tool = toolFor([server]);
  const text = `See [one](${server.url}/200), ${server.url}/200#part and \`${server.url}/204\`.`;
  const result = await call(tool, { task_text: text });
  expect(firstLine(result)).toBe('PASS: 2 of 2 links work.');
  expect(result.isError).toBeUndefined();
  expect(server.hits.sort()).toEqual(['HEAD /200', 'HEAD /204']);
  expect(tool.output.parse(result.structuredContent)).toEqual(result.structuredContent);
});

test('one broken link is FAIL, with status, class and the request that decided', async () => {
  proves('C4.3.t15.c1', 'C4.3.t15.c2');
  const server = await statuses();
  const urls = ['/200', '/404', '/503', '/302/200'].map((path) => server.url + path);
  const result = await call(toolFor([server]), { urls });
  expect(firstLine(result)).toBe('FAIL: 2 of 4 links do not work.');
  expect(report(result).results.map((row) => [row.status, row.class, row.method])).toEqual([
    [200, 'ok', 'HEAD'],
    [404, 'client_error', 'GET'],
    [503, 'server_error', 'GET'],
    [200, 'redirect', 'HEAD'],
  ]);
  expect(report(result).counts).toEqual({
    total: 4,
    passed: 2,
    failed: 2,
    unknown: 0,
    by_class: { ok: 1, client_error: 1, server_error: 1, redirect: 1 },
  });
  expect(report(result).results[3]).toMatchObject({
    final_url: `${server.url}/200`,
    redirects: [`${server.url}/302/200`],
  });
});

test.each([400, 403, 404, 405, 500, 501])(
  'a server that answers HEAD with %i and GET with 200 works',
  async (status) => {
    const server = await site((request, response) => {
      response.writeHead(request.method === 'HEAD' ? status : 200);
      response.end('x'.repeat(1_000_000));
    });
    const result = await call(toolFor([server]), { urls: [server.url] });
    expect(firstLine(result)).toBe('PASS: 1 of 1 links work.');
    expect(report(result).results[0]).toMatchObject({ method: 'GET', attempts: 2 });
  },
);

test('a server that drops HEAD and answers GET works', async () => {
  const server = await tcpLoopback((socket, text) => {
    if (text.startsWith('HEAD')) socket.resetAndDestroy();
    else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  servers.push(server);
  const result = await call(toolFor([server]), { urls: [server.url] });
  expect(report(result).results[0]).toMatchObject({ class: 'ok', method: 'GET' });
});

test('429 is waited out once when the wait is short', async () => {
  let asked = 0;
  const server = await site((_request, response) => {
    asked += 1;
    response.writeHead(asked === 1 ? 429 : 200, { 'retry-after': '0' });
    response.end();
  });
  const result = await call(toolFor([server]), { urls: [server.url] });
  expect(report(result).results[0]).toMatchObject({ class: 'ok', attempts: 2 });
});

test('429 to the end is UNKNOWN, never FAIL, and is an answer', async () => {
  const server = await site((_request, response) => {
    response.writeHead(429, { 'retry-after': '3600' });
    response.end();
  });
  const result = await call(toolFor([server]), { urls: [server.url] });
  expect(firstLine(result)).toBe('UNKNOWN: 1 of 1 links could not be checked; 0 work.');
  expect(report(result).results[0]).toMatchObject({ class: 'rate_limited', attempts: 1 });
  expect(result.isError).toBeUndefined();
});

test('when every link ends in dns the verdict is UNKNOWN and the result is an error', async () => {
  const result = await call(toolFor([]), { urls: ['https://a.example/', 'https://b.example/'] });
  expect(firstLine(result)).toBe(
    'UNKNOWN: None of 2 links could be reached from this server, so their state is unknown.',
  );
  expect(answer(result)).toMatchObject({ data: null, coverage: { asked: 2, answered: 0 } });
  expect(
    answer(result).faults.map(({ upstream, code, retryable }) => [upstream, code, retryable]),
  ).toEqual([
    ['a.example', 'upstream_unavailable', true],
    ['b.example', 'upstream_unavailable', true],
  ]);
  expect(result.isError).toBe(true);
});

test('a dead name beside a host that answers is FAIL', async () => {
  const server = await statuses();
  const result = await call(toolFor([server]), { urls: [server.url, 'https://dead.example/'] });
  expect(firstLine(result)).toBe('FAIL: 1 of 2 links do not work.');
  expect(report(result).results[1]).toMatchObject({ class: 'dns', verdict: 'FAIL' });
});

test('addresses that are not public are UNKNOWN and never asked', async () => {
  const open = await statuses();
  const secret = await statuses();
  const urls = [open.url, 'http://169.254.169.254/x', 'http://127.0.0.1:8080/', secret.url];
  const result = await call(toolFor([open]), { urls });
  expect(firstLine(result)).toBe('UNKNOWN: 3 of 4 links could not be checked; 1 work.');
  expect(
    report(result)
      .results.slice(1)
      .map((row) => row.class),
  ).toEqual(['ssrf_blocked', 'ssrf_blocked', 'ssrf_blocked']);
  expect(secret.hits).toEqual([]);
});

test('accept decides which codes work', async () => {
  const server = await statuses();
  const urls = [`${server.url}/404`, `${server.url}/200`, `${server.url}/299`];
  const result = await call(toolFor([server]), { urls, accept: '404, 200..299' });
  expect(report(result).results.map((row) => row.verdict)).toEqual(['PASS', 'PASS', 'FAIL']);
});

test('a redirect in a circle, a timeout and a broken answer each have their class', async () => {
  const circle = await site((_request, response) => {
    response.writeHead(302, { location: '/' });
    response.end();
  });
  const silent = await tcpLoopback(() => undefined);
  const broken = await tcpLoopback((socket) => socket.end('nonsense\r\n\r\n'));
  servers.push(silent, broken);
  const tool = toolFor([circle, silent, broken]);
  const result = await call(tool, { urls: [circle.url, silent.url, broken.url], timeout_s: 1 });
  expect(report(result).results.map((row) => row.class)).toEqual([
    'redirect_loop',
    'timeout',
    'protocol',
  ]);
  expect(report(result).verdict).toBe('FAIL');
});

test('no host is asked more than two links at once, and all are asked', async () => {
  const busy = new Map<string, number>();
  const peaks = new Map<string, number>();
  const egress: EgressPort = {
    fetch: async ({ url }) => {
      const { host } = new URL(url);
      const now = (busy.get(host) ?? 0) + 1;
      busy.set(host, now);
      peaks.set(host, Math.max(peaks.get(host) ?? 0, now));
      await new Promise((resolve) => setTimeout(resolve, 2));
      busy.set(host, (busy.get(host) ?? 1) - 1);
      return {
        status: 200,
        headers: {},
        body: new Uint8Array(),
        finalUrl: url,
        redirects: [],
        ms: 1,
      };
    },
  };
  const tool = linkIntegrityTool({ egress, trust, clock: realClock });
  const urls = Array.from({ length: 50 }, (_, n) => `https://h${n % 3}.example/${n}`);
  steps.length = 0;
  const result = await call(tool, { urls });
  expect(report(result).results.map((row) => row.url)).toEqual(urls);
  expect([...peaks.values()]).toEqual([2, 2, 2]);
  expect(steps.map((step) => step.progress)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
  expect(steps.at(-1)?.total).toBe(50);
});

test('links that the total time leaves no room for are not checked and UNKNOWN', async () => {
  let expire: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    at: (at, run) => {
      expect(at).toBe(45_000);
      expire = run;
      return () => undefined;
    },
  };
  let asked = 0;
  const egress: EgressPort = {
    fetch: async ({ url, signal }) => {
      asked += 1;
      if (asked === 2) expire?.();
      if (signal?.aborted === true) {
        throw new AppError('EGRESS_FAILED', { data: { kind: 'aborted', by: 'caller' } });
      }
      return {
        status: 200,
        headers: {},
        body: new Uint8Array(),
        finalUrl: url,
        redirects: [],
        ms: 1,
      };
    },
  };
  const urls = Array.from({ length: 6 }, (_, n) => `https://h.example/${n}`);
  const result = await call(linkIntegrityTool({ egress, trust, clock }), { urls });
  expect(report(result).counts).toMatchObject({ passed: 1, unknown: 5 });
  expect(report(result).verdict).toBe('UNKNOWN');
});

test.each([
  [{}, /no http or https link/],
  [{ task_text: 'nothing here, not even README.md or www.example.com' }, /no http or https link/],
  [{ urls: ['ftp://a.b/'] }, /not an absolute http/],
  [{ urls: ['/relative'] }, /not an absolute http/],
  [{ urls: ['https://a.example/'], accept: 'all' }, /accept/],
  [{ urls: ['https://a.example/'], accept: '200..=100' }, /accept/],
  [{ urls: ['https://a.example/'], accept: '' }, /accept/],
  [
    { task_text: Array.from({ length: 201 }, (_, n) => `https://a.example/${n}`).join(' ') },
    /more than 200/,
  ],
  [{ task_text: 'https://a.example/( '.repeat(1_001) }, /more than 1000/],
])('%j is refused before any payment is asked', (input, message) => {
  const tool = toolFor([]);
  const parsed = tool.input.parse(input);
  expect(() => tool.checkReady?.(parsed)).toThrow(message);
  try {
    tool.checkReady?.(parsed);
  } catch (thrown) {
    expect((thrown as AppError).code).toBe('INPUT_INVALID');
  }
});

test.each([
  { urls: Array.from({ length: 201 }, () => 'https://a.example/') },
  { urls: ['https://a.example/'], timeout_s: 0 },
  { urls: ['https://a.example/'], timeout_s: 21 },
  { urls: ['https://a.example/'], max_redirects: 11 },
  { urls: ['https://a.example/'], check_fragments: 'all' },
  { task_text: 'x'.repeat(50_001) },
])('%# the schema refuses what is out of bounds or does not exist', (input) => {
  expect(toolFor([]).input.safeParse(input).success).toBe(false);
});

test('the challenge says how many links will be checked', () => {
  const tool = toolFor([]);
  const input = tool.input.parse({ task_text: 'https://a.example/ https://a.example/#x' });
  expect(tool.checkReady?.(input)).toEqual({ links: 1 });
});

test.each([
  ['(https://a.b/c_(d))', 'https://a.b/c_(d)'],
  ['<https://a.b/?q=1>', 'https://a.b/?q=1'],
  ['**https://a.b/x**', 'https://a.b/x'],
  ['`https://a.b/x`', 'https://a.b/x'],
  ['https://a.b/x.', 'https://a.b/x'],
  ['"https://a.b/x"', 'https://a.b/x'],
  ['[t](https://a.b/x "title")', 'https://a.b/x'],
  ['| https://a.b/x |', 'https://a.b/x'],
  ['HTTPS://A.b/x', 'HTTPS://A.b/x'],
  ['https://web.example/2020/http://old.example/', 'https://web.example/2020/http://old.example/'],
  ['xhttp://no.example/ https://a.b/x', 'https://a.b/x'],
  ['参见https://a.b/x。更多', 'https://a.b/x'],
  ["https://a.b/it's,fine;", "https://a.b/it's,fine"],
])('%s contains the link %s', async (text, link) => {
  const egress: EgressPort = {
    fetch: async ({ url }) => ({
      status: 200,
      headers: {},
      body: new Uint8Array(),
      finalUrl: url,
      redirects: [],
      ms: 1,
    }),
  };
  const result = await call(linkIntegrityTool({ egress, trust, clock: realClock }), {
    task_text: text,
  });
  expect(report(result).results.map((row) => row.url)).toEqual([link]);
});

test('a hostile text of the longest size is searched in bounded time', () => {
  const tool = toolFor([]);
  const parts = [
    'http://',
    'https://a.b/(',
    'http://a',
    '://',
    'https://a.b/&"<(',
    'http://a.b/.(',
  ];
  for (const part of parts) {
    const task_text = part.repeat(Math.floor(50_000 / part.length));
    const startedAt = Date.now();
    try {
      tool.checkReady?.(tool.input.parse({ task_text }));
    } catch {
      // Refused for what it holds; only the time matters here.
    }
    expect(Date.now() - startedAt).toBeLessThan(1_500);
  }
});
