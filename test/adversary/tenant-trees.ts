import { symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Attempt } from './search.ts';
import { LACKS, type TenantWorld } from './tenant-world.ts';

const ASK_MS = 5_000;

/** What a build does beside its work; the last ones need a kernel that bounds them. */
const BUILDS: readonly ((attempt: Attempt) => string)[] = [
  () => 'true',
  () => 'mkfifo pipe; ln -s pipe other',
  ({ integer }) => `truncate -s ${integer(1, 900)}G sparse; printf x >> sparse`,
  ({ integer }) => `for at in $(seq ${integer(1, 60)}); do mkdir -p d && cd d; done; echo x > file`,
  ({ integer }) => `head -c ${integer(1, 2_000_000)} /dev/urandom; echo`,
  () => "printf '\\033]0;owned\\007\\033[2J\\r\\000[[[\\n'",
  () => 'env; ls -la /proc/self/fd; cat /proc/self/maps | tail -5',
];
const BURDENS: readonly ((attempt: Attempt) => string)[] = [
  () => 'for at in 1 2 3 4 5; do setsid sh -c "trap : TERM HUP; sleep 1000" & done',
  () => 'mkdir closed; echo x > closed/file; chmod 000 closed',
  () => 'cd "$HOME" && mkdir -p kept && chmod 000 kept; setsid sleep 1000 &',
];
/** Addresses that lead out of what a site publishes, where something takes them at their word. */
const ROUTES: readonly ((name: string) => string)[] = [
  (name) => `/${name}`,
  (name) => `/${name}/`,
  (name) => `/./${name}`,
  (name) => `/%2e/${name}`,
  (name) => `/a/../${name}`,
  (name) => `/${name}/secret.txt`,
  (name) => `/${name}/..%2f..%2f..%2fhosting-key`,
  () => '/../../../../../../hosting-key',
  () => '/..%2f..%2f..%2f..%2f..%2f..%2fhosting-key',
  () => '/%2e%2e/%2e%2e/commit.json',
  () => '/..\\..\\..\\commit.json',
];

/**
 * Deploys a site whose files and build lead out of it, asks it for what lies outside, and removes
 * it.
 *
 * @returns What was read, and what was tried.
 */
export async function playHostileSite(world: TenantWorld, attempt: Attempt) {
  const { client, repo, targets } = world;
  const { pick, hex, integer, size } = attempt;
  const name = `site-${hex(4)}`;
  const count = 1 + Math.ceil(size / 16);
  const links = Array.from({ length: count }, () => ({
    link: `leak-${hex(3)}`,
    to: pick(targets.paths),
  }));
  for (const { link, to } of links) symlinkSync(to, join(repo.path, link));
  repo.commit({ 'index.html': 'a site' });
  const known = LACKS.length === 0 ? [...BUILDS, ...BURDENS] : BUILDS;
  const steps = Array.from({ length: count }, () => `(${pick(known)(attempt)})`);
  const made = links.map(({ link, to }) => `ln -s ${to} built-${link}`);
  const order = { name, repo: repo.path, buildCommand: [...made, ...steps].join('; ') };
  const publishPath = pick(['.', '.', '.', links[0]?.link ?? '.', '..', 'a/../..']);
  const what = JSON.stringify({ ...order, publishPath });
  const said: string[] = [];
  try {
    const { service, deployId } = await client.call('create_static_site', {
      ...order,
      publishPath,
      autoDeploy: 'no',
    });
    await client.over(service.id, deployId);
    const address = service.serviceDetails.url;
    const names = links.flatMap(({ link }) => [link, `built-${link}`]);
    for (let at = 0; at < 4 + integer(0, size); at += 1) {
      said.push(await get(address, pick(ROUTES)(pick(names))));
    }
    const { logs } = await client.call('list_logs', { resource: [service.id], limit: 100 });
    said.push(
      JSON.stringify(logs),
      JSON.stringify(await client.call('get_service', { serviceId: service.id })),
    );
    await world.removed(service.id);
  } catch (thrown) {
    // A refused order has made nothing.
    if (!/create_static_site: /.test(String(thrown))) throw thrown;
    said.push(String(thrown));
  } finally {
    repo.git('rm', '--quiet', '--cached', '-r', '--', ...links.map(({ link }) => link));
    repo.git('clean', '--quiet', '-fd');
    repo.git('commit', '--quiet', '--allow-empty', '-m', 'Without links');
  }
  expect(said.length).toBeGreaterThan(0);
  return { said: said.join('\n'), what };
}

/** Asks for a path exactly as it is written. */
function get(address: string, path: string): Promise<string> {
  const { host, port } = new URL(address);
  return new Promise((done) => {
    const options = { host: '127.0.0.1', port, path, headers: { host }, timeout: ASK_MS };
    const asked = request({ ...options, agent: false }, (answer) => {
      let text = JSON.stringify(answer.headers);
      answer.setEncoding('latin1').on('data', (piece: string) => {
        text += piece;
      });
      answer.on('error', () => done(text)).on('end', () => done(text));
    });
    asked.on('timeout', () => asked.destroy()).on('error', () => done(''));
    asked.end();
  });
}
