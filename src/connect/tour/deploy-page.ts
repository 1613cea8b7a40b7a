import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { spawnSync } from '../../system/child.ts';
import type { ToolCallResult } from './print-result.ts';
import type { TourReady } from './server.ts';
import type { TourOutput } from './tour-output.ts';

/** Time limit for a deploy, in milliseconds. */
const DEPLOY_MS = 120 * SECOND_MS;
const POLL_MS = SECOND_MS;
const MISSING = 'NOT_CONFIGURED';
const HTML = '<!doctype html><title>Stoa</title><p>Deployed by the tour.';

/**
 * Creates a static site with the hosting tools, pushes a page to it and fetches the page. Prints
 * the reason instead where this machine cannot host.
 */
export async function deployPage(page: TourOutput, ready: TourReady): Promise<void> {
  page.chapter('Deploy a web page with the hosting tools');
  const client = await connectHosting(ready);
  try {
    const { workspaces } = await callTool<Listed>(client, 'list_workspaces', {});
    const workspaceId = workspaces[0]?.id ?? '';
    const order = { workspaceId, name: 'tour', buildCommand: 'true', publishPath: '.' };
    const { service } = await callTool<Created>(client, 'create_static_site', order);
    page.fact('push address', service.pushUrl);
    pushPage(service.pushUrl);
    page.step('pushed a commit; the deploy starts within 15 seconds');
    await waitUntilLive(page, client, { workspaceId, serviceId: service.id });
    const { url } = service.serviceDetails;
    page.fact('GET', url);
    page.fact('answer', await fetchPage(url));
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code !== MISSING) throw error;
    page.step(error.message);
  } finally {
    await client.close();
  }
}

/** The fields of results that the tour uses. */
interface Listed {
  readonly workspaces: readonly { readonly id: string }[];
}
interface Created {
  readonly service: {
    readonly id: string;
    readonly pushUrl: string;
    readonly serviceDetails: { readonly url: string };
  };
}
interface Deploys {
  readonly deploys: readonly { readonly status: string }[];
}

async function connectHosting({ hosting_mcp: url, token_file }: TourReady): Promise<Client> {
  const client = new Client({ name: 'stoa-tour', version: '1' }, {});
  const authorization = `Bearer ${readFileSync(token_file, 'utf8').trim()}`;
  const requestInit = { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

/** @throws {AppError} `NOT_CONFIGURED`; `INTERNAL` for another refusal. */
async function callTool<Result>(client: Client, name: string, args: object): Promise<Result> {
  const answer = (await client.callTool({ name, arguments: { ...args } })) as ToolCallResult;
  if (answer.isError !== true) return answer.structuredContent as Result;
  const message = answer.content?.[0]?.text ?? `${name} failed`;
  throw new AppError(message.startsWith(MISSING) ? MISSING : 'INTERNAL', { message });
}

/** Commits the page to a new repository and pushes it. */
function pushPage(pushUrl: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-tour-site-'));
  const author = ['-c', 'user.name=tour', '-c', 'user.email=tour@example.invalid'];
  try {
    writeFileSync(join(folder, 'index.html'), HTML);
    runGit(folder, 'init', '--quiet', '--initial-branch', 'main');
    runGit(folder, 'add', 'index.html');
    runGit(folder, ...author, 'commit', '--quiet', '--message', 'A page');
    runGit(folder, 'push', '--quiet', pushUrl, 'main');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function runGit(folder: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
  if (status === 0) return;
  throw new AppError('INTERNAL', { message: `git ${args.join(' ')}: ${stderr}` });
}

async function waitUntilLive(page: TourOutput, client: Client, place: object): Promise<void> {
  const deadline = performance.now() + DEPLOY_MS;
  let last = '';
  while (performance.now() < deadline) {
    const { deploys } = await callTool<Deploys>(client, 'list_deploys', place);
    const status = deploys[0]?.status ?? 'waiting for the push';
    if (status !== last) page.step(status);
    last = status;
    if (status === 'live') return;
    if (status.endsWith('failed')) break;
    await sleep(POLL_MS);
  }
  throw new AppError('INTERNAL', { message: `The deploy is not live: ${last}` });
}

/** Not every resolver knows that names below `localhost` are this machine. */
function fetchPage(address: string): Promise<string> {
  const { host, port } = new URL(address);
  return new Promise((done, fail) => {
    const asked = request({ host: '127.0.0.1', port, headers: { host } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => done(`HTTP ${answer.statusCode ?? 0} ${text.trim()}`));
      answer.on('error', fail);
    });
    asked.on('error', fail).end();
  });
}
