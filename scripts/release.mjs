// Makes what a release ships beside the packages: `stoa-mcp.mcpb`, a bundle by which a desktop
// client runs `stoa connect`, and `server.json` for the MCP registry. It publishes nothing.
//   node scripts/release.mjs <folder> --origin https://<host of the server>
//     [--download https://<where the bundle of this release can be fetched>]
// The bundle is `<folder>/bundle` in a zip. `npx @anthropic-ai/mcpb` checks and packs it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { notices } from './bundle.mjs';
import { CHECKOUT } from './lib/checkout.mjs';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const MCPB = '@anthropic-ai/mcpb@2.1.2';
const BUNDLE = 'stoa-mcp.mcpb';
/** At most 100 characters, a limit of the registry. */
const DESCRIPTION =
  'Agents buy decisions, checks and attestations, priced per call and paid by x402.';
const COMMANDS = join(CHECKOUT, 'src', 'cli', 'commands.ts');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { origin: { type: 'string' }, download: { type: 'string' } },
});
const [target] = positionals;
if (target === undefined) refuse('the folder is missing');
const origin = readUrl('--origin', values.origin);
const download = values.download && readUrl('--download', values.download).href;
if (download && !/^https:\/\/(github|gitlab)\.com\/.*mcp/.test(download)) {
  refuse(`--download is ${download}; the registry takes a release of GitHub or GitLab with "mcp"`);
}
const { version, license } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'));
const folder = resolve(target);
const bundle = join(folder, 'bundle');
rmSync(bundle, { recursive: true, force: true });
mkdirSync(join(bundle, 'server'), { recursive: true });

await writeServer();
writeJson(join(bundle, 'manifest.json'), buildManifest());
cpSync(join(CHECKOUT, 'LICENSE'), join(bundle, 'LICENSE'));
mcpb('validate', join(bundle, 'manifest.json'));
mcpb('pack', bundle, join(folder, BUNDLE));
writeJson(join(folder, 'server.json'), buildServerJson());

/** Joins `stoa connect` and the packages that it needs. The other commands are left out. */
async function writeServer() {
  const { rolldown } = await import('rolldown');
  const built = await rolldown({
    input: { cli: join(CHECKOUT, 'src', 'cli.ts') },
    platform: 'node',
    plugins: [{ name: 'connect-only', resolveId: leaveOut }],
  });
  const { output } = await built.generate({ format: 'esm', comments: false });
  for (const { fileName, code } of output) {
    const file = join(bundle, 'server', fileName);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, code);
  }
  const modules = output.flatMap((file) => Object.keys(file.modules ?? {}));
  writeFileSync(join(bundle, 'NOTICES.txt'), notices(modules));
  writeJson(join(bundle, 'package.json'), { name: 'stoa-mcp', version, license, type: 'module' });
}

function leaveOut(id, importer, { kind }) {
  const isOther = importer === COMMANDS && kind === 'dynamic-import';
  return isOther && id !== './connect/connect.ts' ? { id, external: true } : null;
}

function buildManifest() {
  return {
    manifest_version: '0.3',
    name: 'stoa-mcp',
    display_name: 'Stoa',
    version,
    description: DESCRIPTION,
    author: { name: 'Stoa' },
    license,
    server: {
      type: 'node',
      entry_point: 'server/cli.js',
      mcp_config: {
        command: 'node',
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the client fills them in
        args: [
          '${__dirname}/server/cli.js',
          ...['connect', '${user_config.server_url}', '--data', '${user_config.data_folder}'],
        ],
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the client fills them in
        env: {},
      },
    },
    tools_generated: true,
    compatibility: { runtimes: { node: '>=20.12' } },
    user_config: {
      server_url: {
        type: 'string',
        title: 'Server',
        description: 'MCP address of a Stoa server.',
        required: true,
        default: new URL('/mcp', origin).href,
      },
      data_folder: {
        type: 'directory',
        title: 'Data folder',
        description: 'Where the key of your wallet and the list of payments are stored.',
        required: true,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the client fills it in
        default: '${HOME}/.stoa-connect',
      },
    },
  };
}

function buildServerJson() {
  const bytes = readFileSync(join(folder, BUNDLE));
  const packages = download && [
    {
      registryType: 'mcpb',
      identifier: download,
      fileSha256: createHash('sha256').update(bytes).digest('hex'),
      transport: { type: 'stdio' },
    },
  ];
  return {
    $schema: SCHEMA,
    name: `${origin.hostname.split('.').reverse().join('.')}/stoa-commerce`,
    title: 'Stoa commerce',
    description: DESCRIPTION,
    version,
    websiteUrl: origin.href,
    icons: [{ src: new URL('/icon.svg', origin).href, mimeType: 'image/svg+xml', sizes: ['any'] }],
    remotes: [{ type: 'streamable-http', url: new URL('/mcp', origin).href }],
    ...(packages && { packages }),
  };
}

function mcpb(...args) {
  execFileSync('npx', ['--yes', MCPB, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
}

function readUrl(flag, text = '') {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && /[a-z]$/.test(url.hostname)) return url;
  return refuse(`${flag} is ${text || 'missing'}; it must be an https address with a host name`);
}

function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

function refuse(why) {
  process.stderr.write(`${why}\nUsage: node scripts/release.mjs <folder> --origin https://…\n`);
  process.exit(2);
}
