// A server that hosts, a repository that it may take, and calls of its tools.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { distFile } from '../lib/dist.mjs';
import { startServer, stopChild } from '../lib/proc.mjs';

const PROGRAM = fileURLToPath(new URL('./program.mjs', import.meta.url));
const CLI = fileURLToPath(distFile('cli.js'));

/** A folder that users of hosted programs reach, with one repository of one commit. */
export function makePlace() {
  const place = mkdtempSync(join(tmpdir(), 'stoa-bench-hosting-'));
  chmodSync(place, 0o755);
  const repository = join(place, 'sources', 'sample');
  mkdirSync(join(repository, 'site'), { recursive: true });
  copyFileSync(PROGRAM, join(repository, 'server.mjs'));
  copyFileSync(PROGRAM, join(repository, 'site', 'index.html'));
  const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org'];
  const git = (...args) => execFileSync('git', [...who, ...args], { cwd: repository });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'The sample');
  return { place, repository, data: join(place, 'data') };
}

/** Starts `stoa serve` with hosting on this machine, and a client of its tools. */
export async function startHost({ place, data }) {
  const hosting = ['--hosting', 'local', '--hosting-sources', join(place, 'sources')];
  const rest = ['--router-port', '0', '--trust-repositories'];
  const args = ['serve', '--json', '--port', '0', '--data', data, ...hosting, ...rest];
  const { child, ready } = await startServer({ name: 'host', script: CLI, args });
  const headers = { authorization: `Bearer ${readFileSync(ready.token_file, 'utf8').trim()}` };
  const client = new Client({ name: 'bench', version: '1' });
  const url = new URL(ready.hosting_mcp);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const call = async (name, args) => {
    const { isError, structuredContent, content } = await client.callTool({
      name,
      arguments: args,
    });
    if (isError) throw new Error(`${name}: ${content[0].text}`);
    return structuredContent;
  };
  const { workspaces } = await call('list_workspaces', {});
  const workspaceId = workspaces[0].id;
  return {
    pid: child.pid,
    call: (name, args) => call(name, { workspaceId, ...args }),
    stop: async () => {
      await client.close();
      await stopChild(child);
    },
  };
}

/** Ends what is hosted and removes the folder. */
export function clear({ place, data }) {
  execFileSync(process.execPath, [CLI, 'hosting', 'stop', '--data', data]);
  rmSync(place, { recursive: true, force: true });
}

/** @returns The status at an address of a service, or 0 where nobody answers. */
export function ask(address) {
  const { host, port } = new URL(address);
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, headers: { host }, agent: false };
    const asked = request(options, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    asked.on('error', () => resolve(0)).end();
  });
}
