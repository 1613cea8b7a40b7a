import { AppError } from '../../domain/common/error.ts';
import { hashJson } from '../../domain/common/hash.ts';
import { SECOND_MS } from '../../domain/common/time.ts';
import { checkedRanges } from '../../domain/hosting/allow-list.ts';
import type { DatabaseHost, HostedDatabase } from '../../domain/hosting/database-host.ts';
import type { DatabaseRecordParts } from '../../domain/hosting/database-record.ts';
import { derivedId } from '../../domain/hosting/derived-id.ts';
import type { ConnectionInfo, Paged, PageQuery } from '../../domain/hosting/hosting.ts';
import { hostedId, ID_PREFIXES } from '../../domain/hosting/ids.ts';
import {
  type AllowedRange,
  DATABASE_STATUSES,
  type DatabaseStatus,
  type KeyValue,
  type Postgres,
} from '../../domain/hosting/records.ts';
import { activeIds } from '../../machines/graph/machine-graph.ts';
import type { DatabaseContext, DatabaseInput } from '../../machines/hosting/database-facts.ts';
import type { ActorEngine, View } from '../../runtime/engine/types.ts';
import { isEngineCode } from '../common/engine-error.ts';
import { findActor } from '../common/find-actor.ts';
import { listAll } from '../common/finished.ts';
import { DATABASE_KIND, openDatabase, sealPassword } from './database-definition.ts';
import type { LocalProviderParts } from './local-parts.ts';
import { mustHave } from './local-services.ts';
import { invalid, pageOf, readPage, unknownResource } from './page.ts';

const PASSWORD_BYTES = 24;
/** States of a deleted database. */
const GONE = ['removing', 'removed'];

/** State in which a running server reloads its settings. */
const RELOADING = 'available.reloading';
/** State in which a suspended server shuts down. */
const STOPPING = 'suspended.stopping';
/** States from which a database can be suspended. */
const SUSPENDED_FROM: readonly DatabaseStatus[] = ['available', 'unavailable'];
/** Longest wait of a resume for the server's shutdown, in milliseconds. */
const STOP_MS = 20 * SECOND_MS;
/** Longest wait of a change until the server applies it, in milliseconds. */
const TAKE_MS = 5 * SECOND_MS;

type Stored = Postgres | KeyValue;
/** The ordered record, without fields that depend on the state. */
type RecordOf<Item extends Stored> = Omit<Item, 'status' | 'reason'>;

/** Dependencies of the database registry. */
export type DatabaseShelfParts = Pick<
  LocalProviderParts,
  'engine' | 'sealer' | 'clock' | 'random' | 'workspaces' | 'pageOf'
>;

/** The kind of databases in a registry. */
export interface ShelfKind<Item extends Stored> {
  readonly kind: 'postgres' | 'key_value';
  readonly host: DatabaseHost<Item> | undefined;
  /** Error message if the host is missing. */
  readonly why: string;
}

/** Order fields common to both kinds. */
interface Order {
  readonly ownerId: string;
  readonly name: string;
}

/** A database that has not been removed. */
interface Held<Item extends Stored> {
  readonly view: View;
  readonly item: Item;
  readonly status: DatabaseStatus;
  readonly database: HostedDatabase<Item>;
}

/**
 * Creates a registry of databases of one kind, stored as actors. Shared by Postgres and Key Value.
 */
export function databaseShelf<Item extends Stored>(
  parts: DatabaseShelfParts,
  own: ShelfKind<Item>,
) {
  const { engine, clock, sealer, workspaces } = parts;
  const inTurn = oneAfterTheOther();
  const held = (id: string): Promise<Held<Item>> => heldOf(parts, own, id);
  const list = async (query: PageQuery & { readonly ownerId: string }): Promise<Paged<Item>> => {
    const { ownerId, ...page } = query;
    mustHave(workspaces, ownerId);
    const all = await itemsOf(parts, own);
    const mine = new Map(
      all.filter(({ item }) => item.ownerId === ownerId).map((one) => [one.view.id, one]),
    );
    const rows = [...mine.values()].map(({ view }) => view);
    return readPage(pageOf(rows, page, 'oldest'), async (id) => mustBe(mine.get(id)?.item, id));
  };
  const remove = (id: string): Promise<void> =>
    inTurn(async () => {
      await held(id);
      await engine.tell(id, { type: 'REMOVE' });
    });
  const connection = async (id: string): Promise<ConnectionInfo> => {
    const { database } = await held(id);
    if (own.host === undefined) throw new AppError('NOT_CONFIGURED', { message: own.why });
    return { ...own.host.connection(database), allowList: database.record.ipAllowList };
  };
  return {
    port: {
      list,
      get: async (id: string) => (await held(id)).item,
      ...changesOf(parts, own, inTurn),
      remove,
      connection,
    },
    held,
    /** Creates a database, unless its key has created one before. */
    create: <O extends Order>(
      order: O,
      key: string | undefined,
      make: (made: DatabaseRecordParts) => Promise<RecordOf<Item>>,
    ): Promise<Item> =>
      inTurn(async () => {
        mustHave(workspaces, order.ownerId);
        const { id, known } = await place(parts, own, { order, key });
        if (known !== undefined) return known;
        refuseTaken(await itemsOf(parts, own), order);
        const at = instant(clock.now());
        const record = await make({ id, dashboardUrl: parts.pageOf(id), at });
        if (own.host === undefined) throw new AppError('NOT_CONFIGURED', { message: own.why });
        await own.host.admit(record);
        const password = Buffer.from(parts.random.bytes(PASSWORD_BYTES)).toString('base64url');
        const sealedSecrets = sealPassword(sealer, id, password);
        const input: DatabaseInput = {
          record: record as unknown as DatabaseInput['record'],
          sealedSecrets,
        };
        await engine.create(DATABASE_KIND, id, input);
        return (await held(id)).item;
      }),
  };
}

/** Creates the operations that change a database. */
function changesOf<Item extends Stored>(
  parts: DatabaseShelfParts,
  own: ShelfKind<Item>,
  inTurn: ReturnType<typeof oneAfterTheOther>,
) {
  const { engine, clock } = parts;
  const held = (id: string): Promise<Held<Item>> => heldOf(parts, own, id);
  return {
    setAllowList: (id: string, ranges: readonly AllowedRange[]): Promise<Item> =>
      inTurn(async () => {
        const { database } = await held(id);
        const ipAllowList = checkedRanges(ranges);
        const record = { ...database.record, ipAllowList, updatedAt: instant(clock.now()) };
        await engine.tell(id, { type: 'CONFIG.CHANGED', record });
        await taken(engine, id);
        return (await held(id)).item;
      }),
    setSuspended: (id: string, isSuspended: boolean): Promise<Item> =>
      inTurn(async () => {
        const { item, status, database } = await held(id);
        if ((status === 'suspended') === isSuspended) return item;
        if (isSuspended && !SUSPENDED_FROM.includes(status)) throw unfit(status, 'suspended');
        if (!isSuspended) {
          await stopped(engine, id);
          // Its capacity may have been given to another service.
          await own.host?.admit(database.record);
        }
        await engine.tell(id, { type: isSuspended ? 'SUSPEND' : 'RESUME' });
        return (await held(id)).item;
      }),
  };
}

/** An idempotency key always gives the same id. */
async function place<Item extends Stored>(
  parts: DatabaseShelfParts,
  own: ShelfKind<Item>,
  { order, key }: { readonly order: Order; readonly key: string | undefined },
): Promise<{ readonly id: string; readonly known?: Item }> {
  if (key === undefined) return { id: hostedId(own.kind, parts.random) };
  const id = derivedId(own.kind, `order ${key}`);
  if ((await findActor(parts.engine, id)) === undefined) return { id };
  const found = await heldOf(parts, own, id).catch(() => {
    throw invalid('key', 'the key of a removed database', 'another key');
  });
  if (isSameOrder(found.item, order)) return { id, known: found.item };
  throw invalid('key', 'the key of another order', 'the same order again, or another key');
}

/** A record contains its order; only two fields have another form. */
function isSameOrder(item: Stored, order: Order): boolean {
  const has =
    'options' in item ? { ...item, ...item.options } : { ...item, version: Number(item.version) };
  const same = Object.keys(order).map((name) => [name, has[name as keyof typeof has]]);
  return hashJson(Object.fromEntries(same)) === hashJson(order);
}

async function itemsOf<Item extends Stored>(
  parts: DatabaseShelfParts,
  own: ShelfKind<Item>,
): Promise<readonly Held<Item>[]> {
  const prefix = ID_PREFIXES[own.kind];
  const rows = await listAll(parts.engine, { kind: DATABASE_KIND, prefix, limit: 1_000 });
  const found = await Promise.all(
    rows
      .filter(({ state }) => !GONE.includes(state))
      .map(({ id }) => heldOf(parts, own, id).catch(() => undefined)),
  );
  return found.filter((one) => one !== undefined);
}

/** @throws {AppError} `RESOURCE_UNKNOWN` */
async function heldOf<Item extends Stored>(
  { engine, sealer, pageOf: pageOfId }: DatabaseShelfParts,
  { kind }: ShelfKind<Item>,
  id: string,
): Promise<Held<Item>> {
  if (!id.startsWith(ID_PREFIXES[kind])) throw unknownResource(id);
  const view = mustBe(await findActor(engine, id, DATABASE_KIND), id);
  const [top = ''] = activeIds(view.value);
  if (GONE.includes(top)) throw unknownResource(id);
  const context = view.context as unknown as DatabaseContext;
  const status = DATABASE_STATUSES.find((one) => one === top) ?? 'unavailable';
  const kept = openDatabase(sealer, context);
  // The console URL may have changed since the database was created.
  const record = { ...kept.record, dashboardUrl: pageOfId(id) };
  const database = { ...kept, record } as unknown as HostedDatabase<Item>;
  return { view, status, database, item: itemOf<Item>(database.record, status, context.reason) };
}

function itemOf<Item extends Stored>(
  record: RecordOf<Item>,
  status: DatabaseStatus,
  reason: string | null,
): Item {
  const isDown = status === 'unavailable' || status === 'recovery_failed';
  const suspended = status === 'suspended' ? 'suspended' : 'not_suspended';
  return {
    ...record,
    status,
    ...(isDown && reason !== null ? { reason } : {}),
    ...('suspended' in record ? { suspended } : {}),
  } as unknown as Item;
}

/** Waits until the running server has applied its settings, or the wait is over. */
async function taken(engine: ActorEngine, id: string): Promise<void> {
  const isTaken = ({ value }: View): boolean => !activeIds(value).includes(RELOADING);
  await engine.waitFor(id, isTaken, { timeoutMs: TAKE_MS }).catch((thrown: unknown) => {
    if (!isEngineCode(thrown, 'ASK_TIMEOUT')) throw thrown;
  });
}

/** Waits until a suspended server has shut down. */
async function stopped(engine: ActorEngine, id: string): Promise<void> {
  const isStopped = ({ value }: View): boolean => !activeIds(value).includes(STOPPING);
  await engine.waitFor(id, isStopped, { timeoutMs: STOP_MS }).catch((thrown: unknown) => {
    throw isEngineCode(thrown, 'ASK_TIMEOUT') ? unfit('suspended', 'resumed') : thrown;
  });
}

function unfit(status: DatabaseStatus, wanted: string): AppError {
  const message = `The database is ${status} and busy. It can be ${wanted} afterwards.`;
  return new AppError('HOST_UNAVAILABLE', { message, data: { status } });
}

function mustBe<T>(found: T | undefined, id: string): T {
  if (found === undefined) throw unknownResource(id);
  return found;
}

function refuseTaken(others: readonly Held<Stored>[], { ownerId, name }: Order): void {
  if (!others.some(({ item }) => item.ownerId === ownerId && item.name === name)) return;
  const message = `name: received ${JSON.stringify(name)}, allowed: a name that is not taken`;
  throw new AppError('NAME_TAKEN', { message, data: { path: 'name', received: name } });
}

/** Serializes orders and changes, because names must be unique. */
function oneAfterTheOther(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

function instant(at: number): string {
  return new Date(at).toISOString();
}
