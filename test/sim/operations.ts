import type { Ack, View } from '../../src/runtime/engine/types.ts';
import type { Chance } from './chance.ts';
import { doEvent, someEvent } from './events.ts';
import type { Followers } from './followers.ts';
import { KINDS } from './kinds/kinds.ts';
import { isSame } from './model-state.ts';
import { QUEUE_OPERATIONS } from './queue-operations.ts';
import { checkList, checkView } from './views.ts';
import type { World } from './world.ts';

/** What the steps of a run share. */
export interface Stage {
  readonly world: World;
  readonly followers: Followers;
  /** Keyed events that were sent, for repeats. */
  readonly keyed: Keyed[];
}

/** A keyed event, with its answer once there is one. */
export interface Keyed {
  readonly id: string;
  readonly key: string;
  readonly event: ReturnType<typeof someEvent>;
  readonly actor: unknown;
  readonly at: number;
  ack?: Ack;
}

/** Something that a virtual caller does. */
export type Operation = (stage: Stage, chance: Chance) => void;

const GONE = ['ACTOR_UNKNOWN'] as const;
const UNFIT = [...GONE, 'ACTOR_CLOSED', 'ACTOR_STUCK', 'EVENT_POISON'] as const;
const TELL = [...UNFIT, 'OVERLOADED', 'STORE_FULL'] as const;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Everything that callers do, by name. */
export const OPERATIONS = {
  ...QUEUE_OPERATIONS,

  create: ({ world }, chance) => createOne(world, chance, world.newId(chance)),

  tell: ({ world }, chance) => {
    tellSome(world, chance);
  },

  burst: ({ world }, chance) => {
    const id = world.someId(chance);
    const most = chance.between(3, 24);
    for (let n = 0; n < most; n += 1) tellSome(world, chance, id);
  },

  keyed: ({ world, keyed }, chance) => {
    const id = world.someId(chance);
    const event = someEvent(world, chance, id);
    const actor = world.oracle.actors.get(id);
    const row: Keyed = { id, key: world.nonce(), event, actor, at: world.clock.now() };
    keyed.push(row);
    tellKeyed(world, row);
    if (chance.isTrue(0.3)) tellKeyed(world, row);
  },

  repeat: ({ world, keyed }, chance) => {
    if (keyed.length > 0) tellKeyed(world, chance.pick(keyed));
  },

  expect: ({ world }, chance) => {
    const id = world.someId(chance);
    const event = someEvent(world, chance, id);
    const last = world.oracle.actors.get(id)?.rows.length ?? 0;
    const expectSeq = chance.isTrue(0.7) ? last : chance.between(0, last + 1);
    world.call(`expect ${expectSeq} ${id}`, world.engine.tell(id, event, { expectSeq }), {
      codes: [...TELL, 'SEQ_CONFLICT'],
      ok: (ack) => {
        const isNext = ack.seq === expectSeq + 1;
        world.faults.check(isNext, 'an expected row is followed by its event', () => ({ id, ack }));
        world.checkAck(id, ack, event);
      },
    });
  },

  ask: ({ world }, chance) => {
    const id = world.someId(chance);
    const event = someEvent(world, chance, id);
    const wanted = (world.oracle.actors.get(id)?.rows.length ?? 0) + chance.between(1, 4);
    const timeoutMs = chance.pick([1, 5_000, DAY_MS]);
    const until = (view: View): boolean => {
      checkView(world, view);
      return view.seq >= wanted;
    };
    world.call(`ask ${id} ${wanted}`, world.engine.ask(id, event, until, { timeoutMs }), {
      codes: [...TELL, 'ASK_TIMEOUT'],
      ok: (view) => checkView(world, view),
      isPatient: true,
    });
  },

  view: ({ world }, chance) => viewSome(world, world.someId(chance)),

  travel: ({ world }, chance) => {
    const id = world.someId(chance);
    const last = world.oracle.actors.get(id)?.rows.length ?? 0;
    const seq = chance.between(last === 0 ? 0 : 1, last + (chance.isTrue(0.1) ? 2 : 0));
    const model = world.oracle.row(id, seq);
    // Rows of an older version stand only where a snapshot does.
    const isOld = world.version > 1 && model?.entry.version === 1;
    world.call(`view ${id} at ${seq}`, world.engine.view(id, seq), {
      codes: [...GONE, ...(isOld ? ['REPLAY_VERSION_GONE'] : [])],
      ok: (view) => checkView(world, view, seq),
    });
  },

  list: ({ world }) => {
    if (!world.isCalm) return;
    world.call('list', listAll(world), {
      codes: [],
      ok: () => undefined,
    });
  },

  stop: ({ world }, chance) => {
    const id = world.someId(chance);
    world.call(`stop ${id}`, world.engine.stop(id), {
      codes: [...GONE, 'ACTOR_CLOSED'],
      ok: (ack) => {
        world.checkAck(id, ack, { type: 'xstate.stop' });
        world.faults.check(ack.status === 'stopped', 'a stop stops', () => ({ id, ack }));
      },
    });
  },

  purge: ({ world }, chance) => {
    const ended = [...world.oracle.actors.values()].filter((actor) => actor.isClosed);
    const id = ended.length > 0 ? chance.pick(ended).id : world.someId(chance);
    world.call(`purge ${id}`, world.engine.purge(id), { codes: [...GONE, 'ACTOR_ACTIVE'] });
    // The id is asked for, and used again, before the disk knows that it is free.
    if (chance.isTrue(0.5)) viewSome(world, id);
    if (chance.isTrue(0.5)) createOne(world, chance, id);
  },

  fork: ({ world }, chance) => {
    const id = world.someId(chance);
    // A copy of a payer has the keys of its payments: two would pay with them.
    if (world.oracle.actors.size > 60 || world.kindOf(id) === 'payer') return;
    const last = world.oracle.actors.get(id)?.rows.length ?? 0;
    const seq = chance.between(1, Math.max(1, last));
    world.call(`fork ${id} at ${seq}`, world.engine.fork(id, seq), {
      codes: [...GONE, 'REPLAY_VERSION_GONE'],
      ok: ({ id: copy, ...ack }) => {
        world.faults.check(ack.seq === 1, 'a copy begins with row 1', () => ack);
        world.checkAck(copy, ack);
      },
    });
  },

  complete: ({ world }, chance) => {
    const { waiting } = world.attempts;
    if (waiting.length === 0) return;
    const token = waiting[Math.max(0, waiting.length - 1 - chance.below(4))] as string;
    const result = chance.isTrue(0.7)
      ? ({ ok: true, output: { by: 'person' } } as const)
      : ({ ok: false, error: { name: 'No', message: 'a person refused' } } as const);
    world.call(`complete ${token}`, world.engine.complete(token, result), {
      codes: ['EFFECT_UNKNOWN', 'ACTOR_CLOSED', 'ACTOR_STUCK', 'EVENT_POISON'],
      ok: (ack) =>
        world.checkAck(token.slice(0, token.lastIndexOf(':', token.lastIndexOf(':') - 1)), ack),
    });
  },

  retry: ({ world }, chance) => {
    const letters = [...world.oracle.dead.keys()];
    if (letters.length === 0) return;
    const letter = chance.pick(letters);
    const times = chance.isTrue(0.3) ? 2 : 1;
    for (let n = 0; n < times; n += 1) {
      world.call(`retry ${letter}`, world.engine.retry(letter), {
        codes: [...UNFIT, 'DEAD_LETTER_UNKNOWN', 'ACTOR_KIND_CONFLICT'],
      });
    }
  },

  letters: ({ world }) => {
    world.call('dead letters', world.engine.deadLetters(), { codes: [] });
  },

  follow: ({ followers }, chance) => followers.begin(chance),

  unfollow: ({ followers }, chance) => followers.end(chance),

  flood: ({ world }, chance) => {
    const id = world.someId(chance);
    const to = world.someId(chance);
    const event = doEvent(world, chance, 'DO', 99);
    const acts = Array.from({ length: 600 }, () => ({ do: 'send', to, event: { type: 'NOISE' } }));
    for (let n = 0; n < 2; n += 1) {
      world.call(`flood ${id}`, world.engine.tell(id, { ...event, acts }), { codes: TELL });
    }
  },
} satisfies Readonly<Record<string, Operation>>;

/** Name of an operation. */
export type OperationName = keyof typeof OPERATIONS;

async function listAll(world: World): Promise<number> {
  const found = [];
  let cursor: string | undefined;
  const { globalSeq } = world.oracle;
  do {
    const page = await world.engine.list({ limit: 7, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.rows);
    cursor = page.cursor;
  } while (cursor !== undefined);
  // Somebody whose turn it is may start between two pages.
  if (world.isCalm && world.oracle.globalSeq === globalSeq) checkList(world, found);
  return found.length;
}

function createOne(world: World, chance: Chance, id: string): void {
  const kind = chance.pick(KINDS);
  const nonce = world.nonce();
  const known = world.kindOf(id);
  const key = chance.isTrue(0.2) ? { idempotencyKey: `create ${nonce}` } : {};
  world.call(`create ${kind} ${id}`, world.engine.create(kind, id, { nonce }, key), {
    codes: ['ACTOR_KIND_CONFLICT', 'STORE_FULL', 'EVENT_POISON'],
    ok: (ack) => {
      world.faults.check(ack.seq === 1, 'a creation is row 1', () => ({ id, ack }));
      world.checkAck(id, ack);
      const kinds = [known, world.kindOf(id), world.oracle.graves.get(id)?.kind];
      world.faults.check(kinds.includes(kind), 'an actor is of the kind asked for', () => kinds);
    },
  });
}

function viewSome(world: World, id: string): void {
  const isThere = !world.isCalm || world.oracle.actors.has(id);
  world.call(`view ${id}`, world.engine.view(id), {
    codes: GONE,
    ok: (view) => {
      world.faults.check(isThere, 'what was purged is gone', () => view);
      checkView(world, view);
    },
  });
}

function tellSome(world: World, chance: Chance, to?: string): void {
  const id = to ?? world.someId(chance);
  const event = someEvent(world, chance, id);
  world.call(`tell ${id} ${event.type}`, world.engine.tell(id, event), {
    codes: TELL,
    ok: (ack) => world.checkAck(id, ack, event),
  });
}

function tellKeyed(world: World, row: Keyed): void {
  const { id, key, event } = row;
  const answer = world.engine.tell(id, event, { idempotencyKey: key });
  world.call(`tell ${id} ${event.type} with ${key}`, answer, {
    codes: TELL,
    ok: (ack) => {
      world.checkAck(id, ack, event);
      const isKept = world.clock.now() - row.at < DAY_MS;
      const isSameLife = world.oracle.actors.get(id) === row.actor;
      const isEqual = row.ack === undefined || isSame(row.ack, ack);
      const claim = 'a repeat gets the first answer';
      world.faults.check(isEqual || !isKept || !isSameLife, claim, () => ({ row, ack }));
      row.ack ??= ack;
    },
  });
}
