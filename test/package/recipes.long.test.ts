import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HAS_OTHER_NODES, nodeOf } from '../support/other-node.ts';
import type { Project } from './packed.ts';
import { CHECKOUT, packedProject, withoutIndent } from './packed.ts';

const FOLDER = join(CHECKOUT, 'examples/runtime/recipes');
const RECIPES = readdirSync(FOLDER).map((file) => file.replace('.mts', ''));
const MODEL_KEY = 'a-key';
let project: Project;
let site: Server;
let model: LLMock;

beforeAll(async () => {
  project = await packedProject();
  for (const name of RECIPES) {
    project.write(`${name}.mts`, readFileSync(join(FOLDER, `${name}.mts`), 'utf8'));
  }
  await project.compile(...RECIPES.map((name) => `${name}.mts`));
  site = createServer((request, response) => {
    response.end(`<html><title>Page ${request.url ?? ''}</title></html>`);
  });
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  model = new LLMock({ port: 0 });
  model.on({ hasToolResult: true }, { content: 'We have three lamps.' });
  model.on(
    { userMessage: /lamps/ },
    { toolCalls: [{ name: 'stock', arguments: '{"item":"lamp"}' }] },
  );
  await model.start();
}, 300_000);
afterAll(async () => {
  site.close();
  await model.stop();
  project.remove();
});

/** What each recipe prints. */
const PRINTED: Readonly<Record<string, string>> = {
  agent: 'We have three lamps.\n',
  approval: 'approved by Grace\n',
  crawler: 'Page /a\nPage /b\n',
  cron: '5 reports, the first is morning@2026-01-05T06:00:00Z\n',
  'fan-out': '600 words\n',
  saga: 'refused; flight of Ada canceled at attempt 3\n',
};

test('each recipe has what it prints', () => {
  expect(Object.keys(PRINTED)).toEqual([...RECIPES].sort());
});

const versions = HAS_OTHER_NODES ? ['20', '22.23.3', '24.21.0'] : ['20'];
describe.each(versions)('Node %s', (version) => {
  test.each(RECIPES)('%s', { timeout: 400_000 }, async (name) => {
    const node = version === '20' ? process.execPath : await nodeOf(version);
    const { port } = site.address() as AddressInfo;
    const pages = ['a', 'b'].map((page) => `http://127.0.0.1:${port}/${page}`);
    const args = name === 'crawler' ? pages : [];
    const env = { MODEL_URL: `${model.url}/v1`, MODEL: 'any', MODEL_KEY };
    rmSync(join(project.path, 'data'), { recursive: true, force: true });
    expect(await project.runOn(node, env, `${name}.mjs`, ...args)).toBe(PRINTED[name]);
  });
});

test('the blocks of the page are the regions of the recipes', () => {
  const page = readFileSync(join(CHECKOUT, 'docs/recipes.md'), 'utf8');
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block);
  const named = [...page.matchAll(/recipes\/([a-z-]+)\.mts\)/g)].map(([, name]) => name ?? '');
  const regions = named.map((name) => {
    const source = readFileSync(join(FOLDER, `${name}.mts`), 'utf8');
    const [, region] = /^ *\/\/ \[guide \S+\n([\s\S]*?)^ *\/\/ guide\]$/m.exec(source) ?? [];
    return withoutIndent(region ?? '');
  });
  expect(blocks).toEqual(regions);
  expect([...named].sort()).toEqual([...RECIPES].sort());
});
