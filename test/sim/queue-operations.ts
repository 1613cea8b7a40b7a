import type { Page, QueuedRow } from '../../src/runtime/engine/types.ts';
import { PRIORITY_MAX } from '../../src/runtime/queue/queue-types.ts';
import type { Chance } from './chance.ts';
import { KINDS } from './kinds/kinds.ts';
import { isSame } from './model-state.ts';
import { LANES, QUEUES, someSchedule } from './queue-kit.ts';
import type { World } from './world.ts';

const SCHEDULE_NAMES = ['cron:a', 'cron:b', 'cron:c'] as const;

/** What callers do with queues and schedules, by name. */
export const QUEUE_OPERATIONS = {
  enqueue: ({ world }, chance) => enqueueOne(world, chance, jobId(world, chance)),

  /** Several in one turn, the same one among them twice. */
  enqueueMany: ({ world }, chance) => {
    const id = jobId(world, chance);
    enqueueOne(world, chance, id);
    for (let n = chance.between(1, 6); n > 0; n -= 1) {
      enqueueOne(world, chance, jobId(world, chance));
    }
    enqueueOne(world, chance, id);
  },

  dequeue: ({ world }, chance) => {
    const { queues } = world.oracle;
    const rows = [...queues.waiting.values()];
    const row = rows.length === 0 ? undefined : chance.pick(rows);
    const id = row?.id ?? jobId(world, chance);
    const queue = chance.isTrue(0.9) ? (row?.queue ?? 'q') : chance.pick(QUEUES);
    const mustLeave = world.isCalm && row?.queue === queue;
    const before = queues.leftOf(id);
    queues.askOut(id);
    world.call(`dequeue ${queue} ${id}`, world.engine.dequeue(queue, id), {
      codes: [],
      ok: (isOut) => {
        queues.answeredOut(id);
        const hasLeft = queues.leftOf(id) > before;
        world.faults.check(!isOut || hasLeft, 'who is taken out is gone', () => id);
        world.faults.check(isOut || !mustLeave, 'who waits can be taken out', () => row);
      },
    });
    // A place that comes free has the queue read while the row is on its way out.
    const held = [...queues.slots.values()].filter((slot) => slot.queue === queue);
    if (chance.isTrue(0.5))
      finishOne(
        world,
        chance,
        held.map((slot) => slot.id),
      );
  },

  queued: ({ world }, chance) => {
    const queue = chance.pick(QUEUES);
    const wanted = world.isCalm ? world.oracle.queues.inOrder(queue) : undefined;
    world.call(`queued ${queue}`, queuedPage(world, queue), {
      codes: [],
      ok: ({ rows }) => {
        if (wanted === undefined) return;
        const ids = wanted.slice(0, rows.length).map((row) => row.id);
        const found = rows.map((row) => row.id);
        world.faults.check(isSame(found, ids), 'the queue shows who waits, in order', () => ({
          found,
          wanted,
        }));
      },
    });
  },

  /** Ends somebody who holds a place. */
  finish: ({ world }, chance) => finishOne(world, chance, [...world.oracle.queues.slots.keys()]),

  schedule: ({ world }, chance) => {
    const name = chance.pick(SCHEDULE_NAMES);
    const known = world.oracle.schedules.rows.get(name)?.spec;
    // Programs set up the same again at every start.
    const spec = known !== undefined && chance.isTrue(0.3) ? known : someSchedule(chance, name);
    world.oracle.schedules.ask(name, spec);
    world.call(`schedule ${name} ${spec.cron}`, world.engine.schedule(name, spec), {
      codes: ['STORE_FULL'],
      ok: ({ name: _name, next, lastId, skipped, ...shown }) => {
        const left = lastId === undefined ? {} : { lastId };
        const row = {
          name,
          spec: shown,
          ...(next === undefined ? {} : { next }),
          skipped,
          ...left,
        };
        const isSafe = world.oracle.schedules.had(row);
        world.faults.check(isSafe, 'a schedule is on the disk when it is told', () => row);
      },
    });
  },

  unschedule: ({ world }, chance) => {
    const name = chance.pick(SCHEDULE_NAMES);
    const isThere = world.oracle.schedules.rows.has(name);
    const isCalm = world.isCalm;
    world.call(`unschedule ${name}`, world.engine.unschedule(name), {
      codes: [],
      ok: (wasThere) => {
        const isTrue = !isCalm || wasThere === isThere;
        world.faults.check(isTrue, 'a schedule that is there is removed', () => name);
      },
    });
  },

  schedules: ({ world }) => {
    const rows = [...world.oracle.schedules.rows.values()];
    const wanted = world.isCalm
      ? rows.map(({ name, next, skipped }) => ({ name, next, skipped }))
      : undefined;
    world.call('schedules', world.engine.schedules(), {
      codes: [],
      ok: (found) => {
        if (wanted === undefined) return;
        const shown = found.map(({ name, next, skipped }) => ({ name, next, skipped }));
        const sorted = wanted.sort((a, b) => (a.name < b.name ? -1 : 1));
        world.faults.check(isSame(shown, sorted), 'the schedules are shown as they are', () => ({
          shown,
          sorted,
        }));
      },
    });
  },
} satisfies Readonly<Record<string, (stage: { readonly world: World }, chance: Chance) => void>>;

/** Removes every schedule. */
export function unscheduleAll(world: World): void {
  for (const name of world.oracle.schedules.rows.keys()) {
    world.call(`unschedule ${name}`, world.engine.unschedule(name), { codes: [] });
  }
}

/** Stops everybody who holds a place. */
export function stopAll(world: World): void {
  for (const id of world.oracle.queues.slots.keys()) {
    world.call(`stop ${id}`, world.engine.stop(id), { codes: [] });
  }
}

const BUSY = ['OVERLOADED', 'STORE_FULL'] as const;

function jobId(world: World, chance: Chance): string {
  return chance.isTrue(0.7) ? `job:${chance.below(30)}` : world.newId(chance);
}

function enqueueOne(world: World, chance: Chance, id: string): void {
  const { queues } = world.oracle;
  const queue = chance.pick(QUEUES);
  const kind = chance.pick(KINDS);
  const key = chance.pick(LANES);
  const priority = chance.pick([0, 0, 0, 0, 1, -1, PRIORITY_MAX]);
  const nonce = world.nonce();
  const ahead = world.isCalm
    ? queues.inOrder(queue).filter((row) => row.key === key && row.rank <= PRIORITY_MAX - priority)
    : [];
  queues.orders.set(nonce, { queue, key, id, ahead });
  const before = queues.leftOf(id);
  const options = { priority, ...(key === '' ? {} : { key }) };
  world.call(
    `enqueue ${queue} ${kind} ${id}`,
    world.engine.enqueue(queue, kind, id, { nonce }, options),
    {
      codes: [...BUSY, 'ACTOR_KIND_CONFLICT', 'EVENT_POISON'],
      ok: ({ state, ack }) => {
        const isTold = (state === 'started') === (ack !== undefined);
        world.faults.check(isTold, 'who has started has an answer', () => ({ id, state, ack }));
        if (ack !== undefined) {
          world.checkAck(id, ack);
          return;
        }
        const isSafe = queues.waiting.has(id) || queues.leftOf(id) > before;
        world.faults.check(isSafe, 'who is told to wait waits on the disk', () => ({ id, queue }));
      },
    },
  );
}

function finishOne(world: World, chance: Chance, held: readonly string[]): void {
  if (held.length === 0) return;
  const id = chance.pick(held);
  if (chance.isTrue(0.5)) {
    world.call(`end ${id}`, world.engine.tell(id, { type: 'END' }), {
      codes: ['ACTOR_UNKNOWN', 'ACTOR_CLOSED', 'ACTOR_STUCK', 'EVENT_POISON', ...BUSY],
    });
    return;
  }
  world.call(`stop ${id}`, world.engine.stop(id), { codes: ['ACTOR_UNKNOWN', 'ACTOR_CLOSED'] });
}

function queuedPage(world: World, queue: string): Promise<Page<QueuedRow>> {
  return world.engine.queued(queue);
}
