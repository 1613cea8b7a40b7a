import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { cleanUp, cliPath, freshDataDir } from '../support/real-server.ts';
import { bareEnvironment } from './run-cli.ts';

afterAll(cleanUp);

const run = promisify(execFile);
/** Packages come over the network. */
const FETCH_MS = 600_000;
const isRoot = process.getuid?.() === 0;

test.runIf(isRoot)(
  'where no server of Key Value is installed, --fix --yes unpacks one that is found afterwards',
  { timeout: FETCH_MS },
  async () => {
    const dataDir = freshDataDir();
    const before = await doctorWithoutServer(dataDir, []);
    expect(before).toMatch(/^reduced {2}Key Value: .*\n {10}fix: unpack Debian's packages/m);
    const fixed = await doctorWithoutServer(dataDir, ['--fix', '--yes']);
    expect(fixed).toMatch(/^running unpack Debian's packages into .*\ndone$/m);
    expect(await doctorWithoutServer(dataDir, [])).toMatch(
      /^ok {7}Key Value: .*(Redis|Valkey) \d+\.\d+\.\d+$/m,
    );
  },
);

/** Doctor in a view of the disk in which the servers of this machine are no programs. */
async function doctorWithoutServer(dataDir: string, words: readonly string[]): Promise<string> {
  const folders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin'];
  const servers = folders
    .flatMap((folder) => ['valkey-server', 'redis-server'].map((name) => join(folder, name)))
    .filter((file) => existsSync(file));
  const hidden = servers.map((file) => `mount --bind /dev/null ${file}`);
  const script = [...hidden, 'exec "$@"'].join(' && ');
  const doctor = [process.execPath, await cliPath(), 'doctor', '--data', dataDir, ...words];
  const view = ['--mount', '--', 'sh', '-c', script, 'sh', ...doctor];
  const { stdout } = await run('unshare', view, { env: bareEnvironment(), timeout: FETCH_MS });
  return stdout;
}
