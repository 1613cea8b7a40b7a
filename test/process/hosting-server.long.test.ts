import { afterAll, expect, test } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { MINUTE_MS } from '../../src/domain/common/time.ts';
import { openHostingServer } from '../../src/process/hosting/hosting-tools.ts';
import { told } from '../support/called-hosting.ts';
import { hostingWorld, WORKSPACES } from '../support/hosting-world.ts';
import { tempDir } from '../support/temp-dir.ts';

const folder = tempDir();
afterAll(() => folder.remove());

/** What a query of a new database comes to, on a server with these flags. */
async function queried(flags: readonly string[]): Promise<string> {
  const { provider, clock } = hostingWorld();
  const config = parseConfig(['--data', folder.path, ...flags], {});
  const telemetry = { interceptors: [] };
  const services = { config, clock, telemetry, notice: () => undefined };
  const { hosting } =
    openHostingServer(services, provider) ?? expect.fail('a server with a provider hosts');
  const call = async (name: string, args: object) => {
    const outcome = await hosting.call({
      name,
      payments: [],
      resourceUrl: `mcp://tool/${name}`,
      arguments: { workspaceId: WORKSPACES[0].id, ...args },
      principal: { kind: 'local', id: 'test' },
      signal: new AbortController().signal,
    });
    return outcome.kind === 'result' ? told(outcome.result) : expect.fail(outcome.kind);
  };
  const made = await call('create_postgres', { name: 'books', plan: 'free' });
  await clock.advance(MINUTE_MS);
  const postgresId = made.value.postgres.id;
  return (await call('query_hosted_postgres', { postgresId, sql: 'select 1' })).text;
}

test('only a server that is started with --hosted refuses databases that are restricted by IP', async () => {
  expect(await queried(['--hosted'])).toMatch(/SQL_BLOCKED.*Run the server locally/);
  expect(await queried([])).not.toContain('SQL_BLOCKED');
});
