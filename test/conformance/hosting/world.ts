import { expect } from 'vitest';
import type { AppError, ErrorCode } from '../../../src/domain/common/error.ts';
import type {
  HostingProvider,
  NewKeyValue,
  NewPostgres,
  NewService,
  Paged,
} from '../../../src/domain/hosting/hosting.ts';
import type { Deploy } from '../../../src/domain/hosting/records.ts';
import type { LogLevel, LogType } from '../../../src/domain/hosting/value-sets.ts';

/** What a world writes into the logs of a resource. */
export interface WrittenLine {
  readonly message: string;
  readonly level?: LogLevel;
  readonly type?: LogType;
  readonly instance?: string;
  readonly path?: string;
  readonly statusCode?: string;
}

/** A provider with what the suite needs around it. Each claim gets a world of its own. */
export interface HostingWorld {
  readonly provider: HostingProvider;
  /** Ids of two workspaces that hold nothing yet. */
  readonly workspaces: readonly [string, string];
  /** A repository that builds with `true`, starts with `start`, and answers. */
  readonly repo: string;
  readonly start: string;
  /** Whether there is a database behind `postgres.query`. */
  readonly runsSql: boolean;
  /** Kinds of databases that it has; both where left out. */
  readonly databases?: readonly ('postgres' | 'key_value')[];
  now(): number;
  /** Lets time pass until a claim holds; fails where it never does. */
  until(claim: () => Promise<boolean>, what: string): Promise<void>;
  /** Has the next deploy of a service fail: at its build, or when the program is started. */
  breakNext(serviceId: string, step: 'build' | 'update'): Promise<void>;
  /** Has lines written, in this order and as near to each other as it can. */
  write(resource: string, lines: readonly WrittenLine[]): Promise<void>;
  close(): Promise<void>;
}

/** States in which a deploy is not over. */
export const UNDER_WAY = [
  'created',
  'queued',
  'build_in_progress',
  'pre_deploy_in_progress',
  'update_in_progress',
];

/** A value that must be in no record, no event and no log. */
export const SECRET = 'never-shown-5f1d0c';

/** An order for a web service. */
export function webOrder(world: HostingWorld, more: Partial<NewService> = {}): NewService {
  return {
    type: 'web_service',
    ownerId: world.workspaces[0],
    name: 'shop',
    repo: world.repo,
    branch: 'main',
    autoDeploy: 'no',
    envVars: [],
    run: { runtime: 'node', buildCommand: 'true', startCommand: world.start },
    plan: 'starter',
    region: 'oregon',
    ...more,
  } as NewService;
}

/** An order for a Postgres server. */
export function postgresOrder(world: HostingWorld, more: Partial<NewPostgres> = {}): NewPostgres {
  return {
    ownerId: world.workspaces[0],
    name: 'books',
    plan: 'free',
    region: 'oregon',
    version: 16,
    diskSizeGB: 1,
    ...more,
  };
}

/** An order for a Key Value instance. */
export function keyValueOrder(world: HostingWorld, more: Partial<NewKeyValue> = {}): NewKeyValue {
  return {
    ownerId: world.workspaces[0],
    name: 'cache',
    plan: 'free',
    region: 'oregon',
    maxmemoryPolicy: 'allkeys_lru',
    persistenceMode: 'off',
    ...more,
  };
}

/** Makes a web service and waits until its first deploy is over. */
export async function servedService(world: HostingWorld, more: Partial<NewService> = {}) {
  const { service, deployId = '' } = await world.provider.services.create(webOrder(world, more));
  return { service, deploy: await ended(world, service.id, deployId) };
}

/** Waits until a deploy is over. */
export async function ended(
  { provider, until }: HostingWorld,
  serviceId: string,
  deployId: string,
): Promise<Deploy> {
  const get = () => provider.deploys.get(serviceId, deployId);
  await until(async () => !UNDER_WAY.includes((await get()).status), `the end of ${deployId}`);
  return get();
}

/** Every item of a list, read page by page. */
export async function readAll<Item>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<Paged<Item>>,
): Promise<readonly Item[]> {
  const found: Item[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 1_000; pages += 1) {
    const page = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.items.map(({ item }) => item));
    cursor = page.items.at(-1)?.cursor;
    if (!page.hasMore || cursor === undefined) return found;
    expect(page.items).toHaveLength(limit);
  }
  throw new Error('the list has no end');
}

/** Expects a refusal with a code. */
export async function refused(work: Promise<unknown>, code: ErrorCode): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as AppError,
  );
  expect(error).toMatchObject({ name: 'AppError', code });
  return error as AppError;
}
