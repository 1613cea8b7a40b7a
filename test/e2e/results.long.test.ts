import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PaymentRequired } from '../../src/domain/payment/payment.ts';
import { HOST_PAGE } from '../support/app-host-page.ts';
import { HAS_BROWSER, launchBrowser } from '../support/browser.ts';
import { goodFacts } from '../support/council.ts';
import { createPayer } from '../support/payer.ts';
import {
  cleanUp,
  freshDataDir,
  fund,
  inBandPayment,
  type RealServer,
  startRealServer,
} from '../support/real-server.ts';

const COUNCIL = 'procurement_council';
const BRIEF = { vendor: 'Acme', product: 'a ticket system', facts: goodFacts() };
/** Places of the first lines; a line that does not apply is left out. */
const LABELS = ['Why: ', 'Decided by: ', 'Cost: ', 'See: '];
const APP_TYPE = 'text/html;profile=mcp-app';

const NO_NAMES = fileURLToPath(new URL('../support/no-names.cjs', import.meta.url));

const payer = createPayer();
let server: RealServer;
let client: Client;

beforeAll(async () => {
  // Sources that no name leads to answer at once that they are gone, here and everywhere.
  server = await startRealServer(freshDataDir(), [], { NODE_OPTIONS: `--require=${NO_NAMES}` });
  await fund(server, payer.address, '200');
  client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(new StreamableHTTPClientTransport(new URL(server.ready.mcp_v2)));
}, 300_000);
afterAll(async () => {
  await client.close();
  await cleanUp();
});

type Args = Record<string, unknown>;

/** Calls a tool, and pays what it asks. */
async function buy(name: string, args: Args) {
  const asked = await client.callTool({ name, arguments: args });
  const required = PaymentRequired.safeParse(asked.structuredContent).data;
  if (required === undefined) return asked;
  const _meta = await inBandPayment(payer, required);
  return client.callTool({ name, arguments: args, _meta });
}

type Result = Awaited<ReturnType<typeof buy>>;

function linesOf({ content }: Result): readonly string[] {
  const [first] = content;
  return first?.type === 'text' ? first.text.split('\n') : [];
}

/** What is wrong with the order of a text; empty if nothing is. */
function orderFaults(lines: readonly string[]): readonly string[] {
  const [answer = '', why = '', decidedBy = '', cost = ''] = lines;
  const proofAt = lines.findIndex((line) => line.startsWith('Proof: '));
  const proofs = proofAt === -1 ? [] : lines.slice(proofAt);
  return [
    ...(answer === '' ? ['no answer'] : []),
    ...(LABELS.some((label) => answer.startsWith(label)) ? ['a label before the answer'] : []),
    ...(why.startsWith('Why: ') ? [] : ['no reason in the second line']),
    ...(decidedBy.startsWith('Decided by: ') ? [] : ['nobody decided']),
    ...(cost.startsWith('Cost: ') ? [] : ['no cost']),
    ...(proofs.every((line) => line.startsWith('Proof: ')) ? [] : ['proofs are not last']),
  ];
}

/** Every tool of the list, with the arguments of its example. */
async function listExamples(): Promise<readonly { name: string; args: Args }[]> {
  const examples: { name: string; args: Args }[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, description = '', inputSchema } of page.tools) {
      const example = JSON.parse(description.split('Example: ')[1] ?? '{}') as Args;
      const wait = inputSchema.properties?.['wait_s'] === undefined ? {} : { wait_s: 10 };
      examples.push({ name, args: { ...example, ...wait } });
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return examples;
}

describe('every tool', () => {
  test('answers first, gives the reason second, and every place to look at is there', {
    timeout: 540_000,
  }, async () => {
    const seen: (readonly [string, string])[] = [];
    const faults: string[] = [];
    const refused: string[] = [];
    for (const { name, args } of await listExamples()) {
      const lines = linesOf(await buy(name, name === COUNCIL ? BRIEF : args));
      // An error has no answer: a code, and what to do.
      if (/^[A-Z_]+: /.test(lines[0] ?? '')) {
        refused.push(`${name} ${lines[0]}`);
        continue;
      }
      faults.push(...orderFaults(lines).map((fault) => `${name}: ${fault}`));
      const see = lines.find((line) => line.startsWith('See: '));
      if (see !== undefined) seen.push([name, see.slice('See: '.length)]);
    }
    expect(faults).toEqual([]);
    // Without models, data and targets, some tools refuse; each says so with a code.
    expect(refused.filter((line) => line.includes(' INTERNAL: '))).toEqual([]);
    for (const [name, url] of seen) {
      expect(new URL(url).origin, name).toBe(new URL(server.ready.base_url).origin);
      const reply = await fetch(url, { redirect: 'manual' });
      expect([name, url, reply.status]).toEqual([name, url, 200]);
    }
    expect(seen.map(([name]) => name)).toContain(COUNCIL);
  });
});

describe('the view of a result', () => {
  test('is listed with the tools, and is one file that needs no network', async () => {
    const { tools } = await client.listTools();
    const council = tools.find(({ name }) => name === COUNCIL);
    expect(council?._meta?.['ui']).toEqual({ resourceUri: 'ui://stoa/result' });
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: 'ui://stoa/result', mimeType: APP_TYPE }]);
    const { contents } = await client.readResource({ uri: 'ui://stoa/result' });
    expect(contents).toMatchObject([{ mimeType: APP_TYPE, _meta: { ui: { csp: {} } } }]);
    const [page] = contents;
    const html = page !== undefined && 'text' in page ? page.text : '';
    expect(html).not.toMatch(/(?:src|href)="|url\(|@import/);
    expect(Buffer.byteLength(html)).toBeLessThan(65_536);
  });

  test.skipIf(!HAS_BROWSER)(
    'shows the same result on its page and in a host of MCP Apps',
    {
      timeout: 240_000,
    },
    async () => {
      const bought = await buy(COUNCIL, BRIEF);
      const asked = await client.callTool({ name: COUNCIL, arguments: BRIEF });
      const [answer = '', why = '', , , see = ''] = linesOf(bought);
      expect([answer, see, server.errors()]).toEqual([
        expect.stringMatching(/^Decision: /),
        expect.stringContaining('/v1/results/job_'),
        expect.any(String),
      ]);
      const url = see.slice('See: '.length);
      const { contents } = await client.readResource({ uri: 'ui://stoa/result' });
      const [view] = contents;
      const html = view !== undefined && 'text' in view ? view.text : '';
      const browser = await launchBrowser();
      try {
        const page = await browser.newPage();
        const complaints: string[] = [];
        page.on('console', (line) => complaints.push(line.text()));
        page.on('pageerror', (error) => complaints.push(error.message));
        const reply = await page.goto(url);
        expect(reply?.headers()['content-security-policy']).toContain("default-src 'none'");
        expect(await page.locator('h1').textContent()).toBe(answer);
        expect(await page.locator('.why').textContent()).toBe(why.slice('Why: '.length));
        expect(await page.locator('.votes li').count()).toBeGreaterThan(1);
        expect(complaints).toEqual([]);

        const host = await browser.newPage();
        await host.setContent(HOST_PAGE);
        const show = (result: unknown) =>
          host.evaluate(
            ([page, given]) => Reflect.get(globalThis, 'show')(page, given),
            [html, result],
          );
        const shown = host.frameLocator('iframe');
        await show(bought);
        expect(await shown.locator('h1').textContent()).toBe(answer);
        await show(asked);
        expect(await shown.locator('h1').textContent()).toMatch(/^Pay \$4\.00 for: /);
        await shown.getByRole('button', { name: 'Pay $4.00' }).click();
        const calls = () => host.evaluate(() => Reflect.get(globalThis, 'calls') as unknown);
        await expect.poll(calls).toEqual([{ name: COUNCIL, arguments: { vendor: 'Acme' } }]);
        await show(asked);
        await shown.getByRole('button', { name: 'Do not pay' }).click();
        expect(await shown.locator('h1').textContent()).toBe('Not paid.');
      } finally {
        await browser.close();
      }
    },
  );
});
