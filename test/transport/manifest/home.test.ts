import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../src/domain/common/hash.ts';
import { SECOND_MS } from '../../../src/domain/common/time.ts';
import { HTTP_SERVICES } from '../../../src/domain/manifest/http-services.ts';
import { addControlRoutes } from '../../../src/process/control/controls.ts';
import { SubjectInput } from '../../../src/tools/reputation/trust-subject.ts';
import { plainRoute } from '../../../src/transport/front/front-route.ts';
import { jsonReply } from '../../../src/transport/proof/replies.ts';
import { memoryControls } from '../../support/controls.ts';
import { ENGINES } from '../../support/engines.ts';
import { type FrontRig, startFront } from '../../support/front-rig.ts';
import { testService } from '../../support/tool-service.ts';

const clock = { now: () => SECOND_MS, at: () => () => undefined };
const chain = { facts: { network: 'eip155:31337', token: `0x${'1'.repeat(40)}` } };
const HOSTILE = '<script>alert("1")</script>';
const service = testService();
const offered = {
  ...service,
  title: `Stoa ${HOSTILE}`,
  tools: service.tools.map((tool) =>
    tool.name === 'paid'
      ? { ...tool, title: `Paid ${HOSTILE}`, _meta: { price: { amount: '0.05' } } }
      : tool,
  ),
};

describe.each(ENGINES)('what the server says of itself over %s', (engine) => {
  let rig: FrontRig;
  beforeAll(async () => {
    rig = await startFront(engine, {
      routes: addControlRoutes(
        {
          controls: memoryControls(),
          chain,
          clock,
          origin: { current: () => rig.baseUrl },
          seal: sha256Hex,
        },
        { offered },
        [
          plainRoute({ methods: ['POST'], path: '/v1/services/trust-check', access: 'open' }, () =>
            jsonReply(402, {}),
          ),
        ],
      ),
    });
  });
  afterAll(() => rig.front.close());

  test('the page has the address, the tools with prices, and runs one script of its own', async () => {
    const reply = await fetch(`${rig.baseUrl}/?utm_source=x`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-/,
    );
    const page = await reply.text();
    expect(page).toContain(`${rig.baseUrl}/mcp</code>`);
    expect(page).toContain('<code>paid</code></th>');
    expect(page).toContain('<td>$0.05</td>');
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script type="module" src="/console/home.js">']);
  });

  test('llms.txt has a title, a summary and sections of links and lists', async () => {
    const reply = await fetch(`${rig.baseUrl}/llms.txt`);
    const lines = (await reply.text()).split('\n');
    expect(lines[0]).toMatch(/^# Stoa/);
    expect(lines[2]).toMatch(/^> /);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Connect',
      '## Tools',
      '## Documents',
    ]);
    expect(lines).toContain(`- \`paid\` ($0.05): Paid ${HOSTILE}`);
    expect(lines).toContain('- `echo` (free): echo');
  });

  test('OpenAPI describes what is served, with its price', async () => {
    const reply = await fetch(`${rig.baseUrl}/openapi.json`);
    // biome-ignore lint/suspicious/noExplicitAny: the test looks into a document of any shape
    const { openapi, servers, paths } = (await reply.json()) as any;
    expect([openapi, servers]).toEqual(['3.1.0', [{ url: rig.baseUrl }]]);
    expect(Object.keys(paths).sort()).toEqual(['/a2a/controls', '/v1/services/trust-check']);
    const { post } = paths['/v1/services/trust-check'];
    expect(post['x-payment-info']).toEqual({
      protocols: [{ x402: {} }],
      price: { mode: 'fixed', currency: 'USD', amount: '0.02' },
    });
    expect(Object.keys(post.responses)).toEqual(['200', '402', 'default']);
    expect(post.requestBody.content['application/json'].schema.required).toEqual(['subject']);
  });

  test('a document is sent again only when it has changed', async () => {
    for (const path of ['/', '/llms.txt', '/openapi.json']) {
      const first = await fetch(`${rig.baseUrl}${path}`);
      const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
      expect((await fetch(`${rig.baseUrl}${path}`, { headers })).status, path).toBe(304);
    }
  });
});

test('the published body of the trust check is that of its tool', () => {
  const { input } = HTTP_SERVICES.find(({ name }) => name === 'trust_check') ?? {};
  expect(Object.keys(Object(input?.['properties']))).toEqual(Object.keys(SubjectInput.shape));
});
