import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hostingClient, program } from '../support/hosting/hosting-client.ts';
import { nodeOf, ordinaryUser } from '../support/hosting/other-user.ts';
import { askService, hostingServer } from '../support/hosting/real-hosting.ts';
import { repository } from '../support/hosting/sources.ts';
import { cleanUp, cliPath } from '../support/real-server.ts';

const TIMEOUT = { timeout: 900_000 };
const { uid, isAble } = ordinaryUser();
const user = uid === undefined ? {} : { uid };

afterAll(cleanUp);

describe.skipIf(!isAble)('a server of an ordinary user', () => {
  test('hosts nothing where it is not told to trust, and names what lacks', TIMEOUT, async () => {
    await expect(hostingServer({}, { ...user, trusts: false })).rejects.toThrow(
      /cannot isolate hosted programs: it lacks separate users and mounts .* and resource limits .*--trust-repositories/s,
    );
  });

  test(
    'serves what it trusts at level process, over its own kill, until it is told to end',
    TIMEOUT,
    async () => {
      await using hosting = await hostingServer({ TEST_SECRET: 'secret' }, user);
      expect(hosting.server.errors()).toMatch(
        /isolated at level process, with no cgroups and no network rules; .* lacks separate users and mounts/,
      );
      await using client = await hostingClient(hosting);
      const repo = repository(join(hosting.sources, 'own'));
      repo.commit({ 'server.mjs': telling(hosting.server.ready.token_file) });
      const { service } = await client.deployed({ name: 'own', repo: repo.path, ...program() });
      const { url } = service.serviceDetails;
      const told = JSON.parse((await askService(url)).text);
      // Level `process` says of itself that it keeps the data directory from no program.
      expect(told).toEqual({ uid: uid ?? process.getuid?.(), token: hosting.token, names: [] });
      await hosting.server.kill();
      expect(await askService(url)).toMatchObject({ status: 200 });
      await hosting.restart();
      expect(await askService(url)).toMatchObject({ status: 200 });
      await hosting.server.stop();
      const { dataDir } = hosting.server;
      const node = nodeOf(uid, join(dataDir, '..'));
      const stop = [await cliPath(), 'hosting', 'stop', '--json', '--data', dataDir];
      const { status, stdout } = spawnSync(node, stop, { encoding: 'utf8' });
      expect([status, JSON.parse(stdout)]).toEqual([0, { programs: 1, router: true }]);
      await expect(askService(url)).rejects.toThrow(/ECONNREFUSED/);
    },
  );
});

/** A program that tells its user, the server's token, and what it has of the server's variables. */
function telling(tokenFile: string): string {
  return `import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
const token = readFileSync(${JSON.stringify(tokenFile)}, 'utf8').trim();
const names = Object.keys(process.env).filter((name) => name === 'TEST_SECRET');
const told = JSON.stringify({ uid: process.getuid(), token, names });
createServer((_asked, answer) => answer.end(told)).listen(process.env.PORT, '127.0.0.1');
`;
}
