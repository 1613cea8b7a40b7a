import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { bareEnvironment } from '../cli/run-cli.ts';
import { cleanUp, freshDataDir, startRealServer } from '../support/real-server.ts';

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../scripts/release.mjs', import.meta.url));
const MCPB = ['--yes', '@anthropic-ai/mcpb@2.1.2'];
const DOWNLOAD = 'https://github.com/example/stoa/releases/download/v0.1.0/stoa-mcp.mcpb';

/** The field rules of server.json, version 2025-12-11, as the registry states them. */
const SERVER_JSON = z.strictObject({
  $schema: z.literal(
    'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  websiteUrl: z.url({ protocol: /^https$/ }),
  icons: z.array(
    z.strictObject({
      src: z.url({ protocol: /^https$/ }).max(255),
      mimeType: z.enum(['image/png', 'image/jpeg', 'image/svg+xml', 'image/webp']),
      sizes: z.array(z.string().regex(/^(\d+x\d+|any)$/)),
    }),
  ),
  remotes: z.array(z.strictObject({ type: z.literal('streamable-http'), url: z.url() })).min(1),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('mcpb'),
        identifier: z.string().regex(/^https:\/\/(github|gitlab)\.com\/.*mcp/),
        fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
        transport: z.strictObject({ type: z.literal('stdio') }),
      }),
    )
    .optional(),
});

afterAll(cleanUp);

test('a release has a valid server.json and a bundle that a client runs against a server', {
  timeout: 300_000,
}, async () => {
  const folder = freshDataDir();
  const args = [folder, '--origin', 'https://stoa.example'];
  await run(process.execPath, [SCRIPT, ...args, '--download', DOWNLOAD]);
  const found = SERVER_JSON.parse(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')));
  const bytes = readFileSync(join(folder, 'stoa-mcp.mcpb'));
  expect(found).toMatchObject({
    name: 'example.stoa/stoa-commerce',
    remotes: [{ url: 'https://stoa.example/mcp' }],
    packages: [{ fileSha256: createHash('sha256').update(bytes).digest('hex') }],
  });

  // The reader of bundles unpacks it, and the manifest says how a client starts it.
  const place = join(folder, 'unpacked');
  await run('npx', [...MCPB, 'unpack', join(folder, 'stoa-mcp.mcpb'), place]);
  const { server } = JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8'));
  const live = await startRealServer(freshDataDir());
  const values: Readonly<Record<string, string>> = {
    __dirname: place,
    'user_config.server_url': live.ready.mcp,
    'user_config.data_folder': freshDataDir(),
  };
  const { command, args: written } = server.mcp_config;
  const filled = (written as string[]).map((text) =>
    text.replaceAll(/\$\{([\w.]+)\}/g, (_, name: string) => values[name] ?? ''),
  );
  const client = new Client({ name: 'e2e', version: '1' }, {});
  await client.connect(new StdioClientTransport({ command, args: filled, env: bareEnvironment() }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(40);
  expect(client.getServerVersion()?.icons?.[0]?.mimeType).toBe('image/svg+xml');
  await client.close();
  expect(await live.stop()).toBe(0);
});

test.each([
  [[], 'the folder is missing'],
  [['out', '--origin', 'http://stoa.example'], 'it must be an https address'],
  [['out', '--origin', 'https://127.0.0.1'], 'it must be an https address'],
  [
    ['out', '--origin', 'https://stoa.example', '--download', 'https://stoa.example/a.mcpb'],
    'a release of GitHub or GitLab',
  ],
])('wrong usage %j says what is allowed', async (args, words) => {
  const failed = await run(process.execPath, [SCRIPT, ...args]).catch((thrown) => thrown);
  expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining(words)]);
});
