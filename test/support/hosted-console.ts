import { describe, test } from 'vitest';
import type { NewService } from '../../src/domain/hosting/hosting.ts';
import type { HttpEngine } from '../../src/transport/http/host.ts';
import { type ConsoleRig, postPage, startConsole } from './console-rig.ts';
import { ENGINES } from './engines.ts';
import { hostingWorld, type MemoryWorld, WORKSPACES } from './hosting-world.ts';

/** A console over a provider in memory. */
export interface HostedConsole extends ConsoleRig {
  readonly world: MemoryWorld;
  /** What the operator was told of changes. */
  readonly told: readonly string[];
  /** Reads as a page that has entered. */
  read(path: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Changes as a page that has entered. */
  change(path: string, body?: unknown): Promise<Response>;
}

/** Starts one; without `isHosting` there is no provider, without `mayChange` nothing changes. */
export async function startHostedConsole(
  engine: HttpEngine,
  { isHosting = true, mayChange = true } = {},
): Promise<HostedConsole> {
  const world = hostingWorld();
  const told: string[] = [];
  const rig = await startConsole(
    engine,
    {},
    {
      hosting: {
        provider: () => (isHosting ? world.provider : undefined),
        clock: world.clock,
        mayChange,
        notice: (line) => told.push(line),
      },
    },
  );
  const cookie = await rig.enter();
  return {
    ...rig,
    world,
    told,
    read: (path, headers = {}) =>
      fetch(`${rig.baseUrl}${path}`, { headers: { cookie, ...headers } }),
    change: (path, body = {}) => postPage(rig, path, body, { cookie }),
  };
}

/** An order for a web service in node. */
export function webService(
  overrides: Partial<Extract<NewService, { type: 'web_service' }>> = {},
): NewService {
  return {
    type: 'web_service',
    ownerId: 'tea-aaaaaaaaaaaaaaaaaaaa',
    name: 'hello',
    repo: 'https://git.example.org/hello',
    autoDeploy: 'yes',
    envVars: [],
    run: { runtime: 'node', buildCommand: 'npm ci', startCommand: 'node server.js' },
    plan: 'starter',
    region: 'oregon',
    ...overrides,
  };
}

/** Where the console reads what is hosted. */
export const HOSTING_PATH = '/inspect/hosting';
/** The value of the variable of `liveService`. */
export const ENV_SECRET = 'value-that-is-never-shown';

/** A claim over both HTTP engines. */
export function hostedClaim(
  name: string,
  run: (rig: HostedConsole) => Promise<void>,
  options: Parameters<typeof startHostedConsole>[1] = {},
): void {
  describe.each(ENGINES)('%s', (engine) => {
    test(name, async () => {
      const rig = await startHostedConsole(engine, options);
      try {
        await run(rig);
      } finally {
        await rig.front.close();
      }
    });
  });
}

/** The JSON of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function jsonOf(answer: Promise<Response>): Promise<any> {
  return (await answer).json();
}

/** Status, code and words of a refusal. */
export async function errorOf(
  answer: Promise<Response>,
): Promise<readonly [number, string, string]> {
  const { status } = await answer;
  const { error, message } = await jsonOf(answer);
  return [status, error, message];
}

/** A service with one variable whose first deploy is live. */
export async function liveService({ world }: Pick<HostedConsole, 'world'>): Promise<string> {
  const envVars = [{ key: 'API_KEY', value: ENV_SECRET }];
  const { service } = await world.provider.services.create(webService({ envVars }));
  await world.clock.advance(10_000);
  return service.id;
}

/** An available Postgres named `store`, in the first workspace. */
export async function postgresOf({ world }: Pick<HostedConsole, 'world'>): Promise<string> {
  const { id } = await world.provider.postgres.create({
    ownerId: WORKSPACES[0].id,
    name: 'store',
    plan: 'free',
    region: 'oregon',
    version: 16,
    diskSizeGB: 1,
  });
  await world.clock.advance(10_000);
  return id;
}
