import type { JournalEntry } from '../../src/runtime/engine/types.ts';
import type { Chance } from './chance.ts';
import { isSame } from './model-state.ts';
import type { World } from './world.ts';

/** Followers of one actor, or of all, that a run keeps at most. */
const FOLLOWERS_MAX = 12;

/**
 * Strangers who watch: each sees every row once, in order, and none that could still be lost. Over
 * restarts they go on from where they were.
 */
export class Followers {
  readonly #world: World;
  #followers: Follower[] = [];

  constructor(world: World) {
    this.#world = world;
    world.onStart.push(() => {
      for (const follower of this.#followers) this.#attach(follower);
    });
  }

  /** Begins to watch something, from somewhere. */
  begin(chance: Chance): void {
    if (this.#followers.length >= FOLLOWERS_MAX) return;
    const { oracle } = this.#world;
    const isFeed = chance.isTrue(0.3);
    const id = isFeed ? undefined : this.#world.someId(chance);
    const last = id === undefined ? oracle.globalSeq : (oracle.actors.get(id)?.rows.length ?? 0);
    const next = chance.isTrue(0.5) ? 1 : chance.between(1, last + 2);
    const life = id === undefined ? undefined : oracle.actors.get(id);
    const follower: Follower = { id, life, next, end: () => undefined };
    this.#followers.push(follower);
    this.#attach(follower);
  }

  /** Ends one. */
  end(chance: Chance): void {
    if (this.#followers.length === 0) return;
    const follower = chance.pick(this.#followers);
    follower.end();
    this.#followers = this.#followers.filter((each) => each !== follower);
  }

  /** Everything that is safe was seen by everyone who asked for it. */
  check(): void {
    const { oracle, faults } = this.#world;
    for (const { id, life, next } of this.#followers) {
      const actor = id === undefined ? undefined : oracle.actors.get(id);
      if (id !== undefined && (actor === undefined || actor !== life)) continue;
      const last = actor === undefined ? this.#lastOfFeed() : actor.rows.length;
      faults.check(next > last, 'those who watch see every row', () => ({ id, next, last }));
    }
  }

  #lastOfFeed(): number {
    const rows = this.#world.oracle.feed;
    return rows.findLast(({ id }) => this.#world.oracle.actors.has(id))?.globalSeq ?? 0;
  }

  #attach(follower: Follower): void {
    const { engine } = this.#world;
    const { life } = this.#world;
    const { id, next } = follower;
    const listener = (entry: JournalEntry): void => {
      if (!life.isOver) this.#see(follower, entry);
    };
    follower.end =
      id === undefined ? engine.feed(next, listener) : engine.watch(id, next, listener);
  }

  #see(follower: Follower, entry: JournalEntry): void {
    const { oracle, faults, trace } = this.#world;
    const { id } = follower;
    trace.add(`seen ${id ?? 'all'} ${entry.globalSeq}`);
    const safe = oracle.feed[entry.globalSeq - 1];
    const isSafe = safe !== undefined && isSame(safe, entry);
    faults.check(isSafe, 'only rows that are safe are shown', () => ({ entry, safe }));
    const at = id === undefined ? entry.globalSeq : entry.seq;
    if (id !== undefined && oracle.actors.get(id) !== follower.life && entry.seq === 1) {
      // The id is used again after a purge: its rows begin anew for those who still watch.
      follower.life = oracle.actors.get(id);
    }
    const isNext = at === follower.next || (at > follower.next && this.#arePurged(follower, at));
    faults.check(isNext, 'those who watch see every row once and in order', () => ({
      id,
      wanted: follower.next,
      entry,
    }));
    follower.next = at + 1;
  }

  #arePurged({ id, next }: Follower, to: number): boolean {
    if (id !== undefined) return this.#world.oracle.graves.has(id);
    const { feed, actors } = this.#world.oracle;
    // A purge is seen by readers before it is safe, so an ended actor may be on its way out.
    return feed.slice(next - 1, to - 1).every((row) => {
      const actor = actors.get(row.id);
      return actor?.rows[row.seq - 1]?.entry !== row || actor.isClosed;
    });
  }
}

interface Follower {
  readonly id: string | undefined;
  life: unknown;
  next: number;
  end: () => void;
}
