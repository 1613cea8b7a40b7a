import { AppError } from '../../domain/common/error.ts';
import { isObject, type Json, tryParseJson } from '../../domain/common/json.ts';
import type { ActorEngine, Ev } from '../../runtime/engine/types.ts';
import { askInspector } from '../../transport/inspect/ask-inspector.ts';
import type { Input } from '../common/usage.ts';
import type { STORE } from '../usage/store.ts';
import { withModule } from './program-module.ts';
import { parseCount } from './read-store.ts';

/** The author of changes as the journal names it. */
const WHO = 'console:stoa-store';
const ROW_MAX = 2 ** 48;

/** `stoa store tell`: sends an event. */
export async function tell(asked: Input<typeof STORE.storeTell>): Promise<number> {
  const { id, type, key } = asked;
  const event = parseEvent(type, asked.data);
  const ack = await run(asked, {
    live: async (link) => {
      const repeat = key === undefined ? {} : { idempotencyKey: key };
      const action = { name: 'send', actorId: id, event, ...repeat } as const;
      return askInspector(link, { op: 'act', action, confirmed: true });
    },
    stored: (engine) => {
      const repeat = key === undefined ? {} : { idempotencyKey: key };
      return engine.tell(id, event, { who: WHO, ...repeat });
    },
  });
  return print(asked.json, id, ack);
}

/** `stoa store fork`: copies an actor. */
export async function fork(asked: Input<typeof STORE.storeFork>): Promise<number> {
  const { id, at } = asked;
  const given = at === undefined ? undefined : parseCount('at', at, ROW_MAX);
  const copy = await run(asked, {
    live: async (link) => {
      const atSeq = given ?? (await readLastRow(link, id));
      const action = { name: 'fork', actorId: id, atSeq } as const;
      return askInspector(link, { op: 'act', action, confirmed: true });
    },
    stored: async (engine) => {
      return engine.fork(id, given ?? (await engine.view(id)).seq, { who: WHO });
    },
  });
  return print(asked.json, (copy as { readonly id: string }).id, copy);
}

/** `stoa store retry`: delivers a dead letter again. */
export async function retry(asked: Input<typeof STORE.storeRetry>): Promise<number> {
  const { letter } = asked;
  const ack = await run(asked, {
    live: (link) => {
      const action = { name: 'retry', deadLetterId: letter } as const;
      return askInspector(link, { op: 'act', action, confirmed: true });
    },
    stored: (engine) => engine.retry(letter, { who: WHO }),
  });
  return print(asked.json, letter, ack);
}

interface Ways {
  /** Asks the program that has the store open. */
  readonly live: (link: string) => Promise<unknown>;
  /** Opens the store itself. */
  readonly stored: (engine: ActorEngine) => Promise<unknown>;
}

async function run(
  { place, module }: { readonly place: string; readonly module: string | undefined },
  { live, stored }: Ways,
): Promise<unknown> {
  if (/^https?:\/\//.test(place)) return live(place);
  if (module !== undefined) return withModule(place, module, stored);
  const message =
    'A store has no machines. Give the module that exports them with --module, ' +
    'or the link of an open inspector instead of the folder.';
  throw new AppError('CONFIG_INVALID', { message, data: { place } });
}

async function readLastRow(link: string, actorId: string): Promise<number> {
  const reading = { name: 'journal', actorId, from: 1, limit: 1 } as const;
  const journal = await askInspector(link, { op: 'read', reading });
  return Number((journal as { readonly lastSeq?: Json }).lastSeq);
}

/** @throws {AppError} `CONFIG_INVALID` */
function parseEvent(type: string, data: string): Ev {
  const members = tryParseJson(data);
  if (isObject(members) && !('type' in members)) return { ...members, type };
  const message = `--data is ${data}; it must be a JSON object without type, as {"amount": 5}.`;
  throw new AppError('CONFIG_INVALID', { message, data: { data } });
}

function print(json: boolean, id: string, ack: unknown): number {
  const { seq, value, status } = ack as Readonly<Record<string, unknown>>;
  const line = `${id}  row ${String(seq)}  ${JSON.stringify(value)}  ${String(status)}`;
  process.stdout.write(`${json ? JSON.stringify(ack) : line}\n`);
  return 0;
}
