import pLimit, { type LimitFunction } from 'p-limit';
import { AppError } from '../../domain/common/error.ts';
import { SECOND_MS, toIsoTime } from '../../domain/common/time.ts';
import { validateRanges } from '../../domain/hosting/allow-list.ts';
import type { DatabaseHost, HostedDatabase } from '../../domain/hosting/database-host.ts';
import type { NewDatabaseFields } from '../../domain/hosting/database-record.ts';
import type { ConnectionInfo, Paged, PageQuery } from '../../domain/hosting/hosting.ts';
import { createHostedId, ID_PREFIXES } from '../../domain/hosting/ids.ts';
import {
  type AllowedRange,
  DATABASE_STATUSES,
  type DatabaseStatus,
  type KeyValue,
  type Postgres,
} from '../../domain/hosting/records.ts';
import { activeStateIds } from '../../machines/graph/machine-graph.ts';
import type { DatabaseInput, DatabaseRecord } from '../../machines/hosting/database.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { listAll } from '../common/actor-lists.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { findOfKind } from '../common/find-actor.ts';
import { databaseKind, sealPassword, unsealDatabase } from './definitions/database.ts';
import type { LocalProviderDeps } from './local-provider-deps.ts';
import { assertWorkspace } from './local-services.ts';
import { loadPage, selectPage, unknownResourceError } from './page.ts';

const PASSWORD_BYTES = 24;
/** States of a deleted database. */
const DELETED_STATES = ['removing', 'removed'];

/** State in which a running server reloads its settings. */
const RELOADING = 'available.reloading';
/** State in which a suspended server shuts down. */
const STOPPING = 'suspended.stopping';
/** States from which a database can be suspended. */
const SUSPENDABLE_STATES: readonly DatabaseStatus[] = ['available', 'unavailable'];
/** Longest wait of a resume for the server's shutdown, in milliseconds. */
const STOP_WAIT_MS = 20 * SECOND_MS;
/** Longest wait of a change until the server applies it, in milliseconds. */
const RELOAD_WAIT_MS = 5 * SECOND_MS;

type DatabaseItem = Postgres | KeyValue;
/** The ordered record, without fields that depend on the state. */
type OrderedRecord<Item extends DatabaseItem> = Omit<Item, 'status' | 'reason'> & DatabaseRecord;

/** Fields of an item that depend on the state of the database. */
type DatabaseState = Pick<DatabaseItem, 'status' | 'reason'>;

/** Dependencies of the database registry. */
export type DatabaseRegistryDeps = Pick<
  LocalProviderDeps,
  'engine' | 'sealer' | 'clock' | 'random' | 'workspaces' | 'pageOf'
>;

/** The kind of databases in a registry. */
export interface RegistryKind<Item extends DatabaseItem> {
  readonly kind: 'postgres' | 'key_value';
  readonly host: DatabaseHost<Item> | undefined;
  /** Error message if the host is missing. */
  readonly missingReason: string;
  readonly isOwn: (record: DatabaseRecord) => record is OrderedRecord<Item>;
  /** Adds the fields that depend on the state. */
  readonly toItem: (record: OrderedRecord<Item>, state: DatabaseState) => Item;
}

/** Order fields common to both kinds. */
interface Order {
  readonly ownerId: string;
  readonly name: string;
}

/** A database that has not been removed. */
interface StoredDatabase<Item extends DatabaseItem> {
  readonly view: View;
  readonly item: Item;
  readonly status: DatabaseStatus;
  readonly database: HostedDatabase<Item>;
}

/**
 * Creates a registry of databases of one kind, stored as actors. Shared by Postgres and Key Value.
 */
export function createDatabaseRegistry<Item extends DatabaseItem>(
  parts: DatabaseRegistryDeps,
  own: RegistryKind<Item>,
) {
  const { engine, clock, sealer, workspaces } = parts;
  const serialize = pLimit(1);
  const requireDatabase = (id: string): Promise<StoredDatabase<Item>> =>
    readDatabase(parts, own, id);
  const list = async (query: PageQuery & { readonly ownerId: string }): Promise<Paged<Item>> => {
    const { ownerId, ...page } = query;
    assertWorkspace(workspaces, ownerId);
    const all = await listDatabases(parts, own);
    const mine = new Map(
      all.filter(({ item }) => item.ownerId === ownerId).map((one) => [one.view.id, one]),
    );
    const rows = [...mine.values()].map(({ view }) => view);
    return loadPage(selectPage(rows, page, 'oldest'), async (id) =>
      requireFound(mine.get(id)?.item, id),
    );
  };
  const remove = (id: string): Promise<void> =>
    serialize(async () => {
      await requireDatabase(id);
      await engine.tell(id, { type: 'REMOVE' });
    });
  const connection = async (id: string): Promise<ConnectionInfo> => {
    const { database } = await requireDatabase(id);
    if (own.host === undefined)
      throw new AppError('NOT_CONFIGURED', { message: own.missingReason });
    return { ...own.host.connectionAddresses(database), allowList: database.record.ipAllowList };
  };
  return {
    port: {
      list,
      get: async (id: string) => (await requireDatabase(id)).item,
      ...createChanges(parts, own, serialize),
      remove,
      connection,
    },
    held: requireDatabase,
    create: <O extends Order>(
      order: O,
      make: (made: NewDatabaseFields) => Promise<OrderedRecord<Item>>,
    ): Promise<Item> =>
      serialize(async () => {
        assertWorkspace(workspaces, order.ownerId);
        assertNameFree(await listDatabases(parts, own), order);
        const id = createHostedId(own.kind, parts.random);
        const at = toIsoTime(clock.now());
        const record = await make({ id, dashboardUrl: parts.pageOf(id), at });
        if (own.host === undefined)
          throw new AppError('NOT_CONFIGURED', { message: own.missingReason });
        await own.host.admit(record);
        const password = Buffer.from(parts.random.bytes(PASSWORD_BYTES)).toString('base64url');
        const sealedSecrets = sealPassword(sealer, id, password);
        const input: DatabaseInput = { record, sealedSecrets };
        await engine.of(databaseKind).create(id, input);
        return (await requireDatabase(id)).item;
      }),
  };
}

/** Creates the operations that change a database. */
function createChanges<Item extends DatabaseItem>(
  parts: DatabaseRegistryDeps,
  own: RegistryKind<Item>,
  serialize: LimitFunction,
) {
  const { engine, clock } = parts;
  const held = (id: string): Promise<StoredDatabase<Item>> => readDatabase(parts, own, id);
  return {
    setAllowList: (id: string, ranges: readonly AllowedRange[]): Promise<Item> =>
      serialize(async () => {
        const { database } = await held(id);
        const ipAllowList = validateRanges(ranges);
        const record = { ...database.record, ipAllowList, updatedAt: toIsoTime(clock.now()) };
        await engine.tell(id, { type: 'CONFIG.CHANGED', record });
        await waitForReload(engine, id);
        return (await held(id)).item;
      }),
    setSuspended: (id: string, isSuspended: boolean): Promise<Item> =>
      serialize(async () => {
        const { item, status, database } = await held(id);
        if ((status === 'suspended') === isSuspended) return item;
        if (isSuspended && !SUSPENDABLE_STATES.includes(status))
          throw busyError(status, 'suspended');
        if (!isSuspended) {
          await waitForStop(engine, id);
          // Its capacity may have been given to another service.
          await own.host?.admit(database.record);
        }
        await engine.tell(id, { type: isSuspended ? 'SUSPEND' : 'RESUME' });
        return (await held(id)).item;
      }),
  };
}

async function listDatabases<Item extends DatabaseItem>(
  parts: DatabaseRegistryDeps,
  own: RegistryKind<Item>,
): Promise<readonly StoredDatabase<Item>[]> {
  const prefix = ID_PREFIXES[own.kind];
  const rows = await listAll(parts.engine, { kind: databaseKind.kind, prefix, limit: 1_000 });
  const found = await Promise.all(
    rows
      .filter(({ state }) => !DELETED_STATES.includes(state))
      .map(({ id }) => readDatabase(parts, own, id).catch(() => undefined)),
  );
  return found.filter((one) => one !== undefined);
}

/** @throws {AppError} `RESOURCE_UNKNOWN` */
async function readDatabase<Item extends DatabaseItem>(
  { engine, sealer, pageOf: pageOfId }: DatabaseRegistryDeps,
  { kind, isOwn, toItem }: RegistryKind<Item>,
  id: string,
): Promise<StoredDatabase<Item>> {
  if (!id.startsWith(ID_PREFIXES[kind])) throw unknownResourceError(id);
  const view = requireFound(await findOfKind(engine, id, databaseKind), id);
  const [top = ''] = activeStateIds(view.value);
  if (DELETED_STATES.includes(top)) throw unknownResourceError(id);
  const { context } = view;
  const status = DATABASE_STATUSES.find((one) => one === top) ?? 'unavailable';
  const { password } = unsealDatabase(sealer, context);
  // The console URL may have changed since the database was created.
  const record = { ...context.record, dashboardUrl: pageOfId(id) };
  if (!isOwn(record)) throw unknownResourceError(id);
  const item = toItem(record, createState(status, context.reason));
  return { view, status, database: { record, password }, item };
}

function createState(status: DatabaseStatus, reason: string | null): DatabaseState {
  const isDown = status === 'unavailable' || status === 'recovery_failed';
  return { status, ...(isDown && reason !== null ? { reason } : {}) };
}

/** Waits until the running server has applied its settings, or the wait is over. */
async function waitForReload(engine: ActorEngine, id: string): Promise<void> {
  const isTaken = ({ value }: View): boolean => !activeStateIds(value).includes(RELOADING);
  await engine.waitFor(id, isTaken, { timeoutMs: RELOAD_WAIT_MS }).catch((thrown: unknown) => {
    if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
  });
}

/** Waits until a suspended server has shut down. */
async function waitForStop(engine: ActorEngine, id: string): Promise<void> {
  const isStopped = ({ value }: View): boolean => !activeStateIds(value).includes(STOPPING);
  await engine.waitFor(id, isStopped, { timeoutMs: STOP_WAIT_MS }).catch((thrown: unknown) => {
    throw isEngineCode(thrown, 'ASK_TIMEOUT') ? busyError('suspended', 'resumed') : thrown;
  });
}

function busyError(status: DatabaseStatus, wanted: string): AppError {
  const message = `The database is ${status} and busy. It can be ${wanted} afterwards.`;
  return new AppError('HOST_UNAVAILABLE', { message, data: { status } });
}

function requireFound<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw unknownResourceError(id);
  return found;
}

function assertNameFree(
  others: readonly StoredDatabase<DatabaseItem>[],
  { ownerId, name }: Order,
): void {
  if (!others.some(({ item }) => item.ownerId === ownerId && item.name === name)) return;
  const message = `name: received ${JSON.stringify(name)}, allowed: a name that is not taken`;
  throw new AppError('NAME_TAKEN', { message, data: { path: 'name', received: name } });
}
