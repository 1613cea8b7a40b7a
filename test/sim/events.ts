import type { Ev } from '../../src/runtime/engine/types.ts';
import type { Chance } from './chance.ts';
import type { Act } from './kinds/acts.ts';
import { SRC_NAMES } from './kinds/acts.ts';
import type { KindName } from './kinds/kinds.ts';
import { KINDS } from './kinds/kinds.ts';
import type { World } from './world.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Delays of timers; many are equal, so that several are due at one instant. */
const DELAYS_MS = [
  0,
  1,
  100,
  1_000,
  1_000,
  1_000,
  5_000,
  60_000,
  3_600_000,
  3 * DAY_MS,
  40 * DAY_MS,
];

/** Messages that answer messages end at this depth. */
const DEPTH_MAX = 3;

/** An event that an actor of this kind may get. */
export function someEvent(world: World, chance: Chance, id: string): Ev {
  const kind = world.kindOf(id) ?? chance.pick(KINDS);
  if (kind === 'payer') {
    const type = chance.weighted({ PAY: 10, CANCEL: 2, REFUND: 4, END: 0.5, NONSENSE: 0.5 });
    return { type };
  }
  const type = chance.weighted(TYPES[kind]);
  if (type === 'DO' || type === 'RING') return doEvent(world, chance, type, 0);
  return { type };
}

const TYPES: Readonly<Record<Exclude<KindName, 'payer'>, Readonly<Record<string, number>>>> = {
  puppet: { DO: 20, RING: 3, SHOUT: 1, END: 0.6 },
  fragile: { DO: 14, RING: 4, END: 0.6 },
  maze: { A: 6, B: 4, C: 3, WAKE: 4, LEAP: 1, PAUSE: 2, RESUME: 3, DO: 4, END: 0.3 },
  worker: { START: 6, ASK: 3, BOTH: 3, CANCEL: 3, HURRY: 1, DO: 4, END: 0.5 },
};

/** An event with a list of acts; messages among them carry lists of their own. */
export function doEvent(world: World, chance: Chance, type: string, depth: number): Ev {
  const length = chance.pick([0, 1, 1, 1, 1, 2, 2, 4]);
  const acts = Array.from({ length }, () => someAct(world, chance, depth));
  const bad = chance.isTrue(0.06) ? { bad: true } : {};
  return { type, ...bad, acts };
}

function someAct(world: World, chance: Chance, depth: number): Act {
  const deep = depth >= DEPTH_MAX ? 0 : 1;
  const what = chance.weighted({
    arm: 5 * deep,
    disarm: 2,
    begin: 4,
    end: 1,
    send: 5 * deep,
    create: 1,
    say: 1,
    note: 3,
    throw: 0.15,
  });
  switch (what) {
    case 'arm':
      return {
        do: 'arm',
        slot: chance.pick(['a', 'b', 'c', 'x']),
        ms: chance.pick(DELAYS_MS),
        event: doEvent(world, chance, 'RING', depth + 1),
      };
    case 'disarm':
      return { do: 'disarm', slot: chance.pick(['a', 'b', 'c', 'x']) };
    case 'begin':
      return {
        do: 'begin',
        src: chance.pick(SRC_NAMES),
        child: chance.pick(['k1', 'k2']),
        lane: chance.pick(['l1', 'l2']),
      };
    case 'end':
      return { do: 'end', child: chance.pick(['k1', 'k2']) };
    case 'send':
      return sendAct(world, chance, depth);
    case 'create':
      return {
        do: 'create',
        to: world.newId(chance),
        kind: chance.pick(KINDS),
        input: { nonce: world.nonce() },
      };
    case 'say':
      return { do: 'say', what: `words ${chance.below(10)}` };
    case 'note':
      return { do: 'note', what: `note ${chance.below(100)}` };
    case 'throw':
      return { do: 'throw' };
  }
}

function sendAct(world: World, chance: Chance, depth: number): Act {
  const to = world.someId(chance);
  const event = chance.isTrue(0.8)
    ? doEvent(world, chance, 'DO', depth + 1)
    : { type: chance.pick(['A', 'START', 'PAY', 'END', 'WAKE', 'PAUSE']) };
  return { do: 'send', to, event };
}
