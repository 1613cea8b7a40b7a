import type { RoutedInstance } from '../domain/hosting/routes.ts';
import type { Upstream } from './upstream.ts';

/** How long an idle connection is kept, in milliseconds; below the 5 s of the shortest servers. */
export const IDLE_KEPT_MS = 4_000;
/**
 * Maximum idle time of a connection used for a request that cannot be repeated, in milliseconds.
 */
const FRESH_MS = 1_000;
/** Maximum idle connections kept per instance. */
const IDLE_MAX = 64;

/** A pool of idle connections to instances. */
export class UpstreamPool {
  /** By instance, most recently used last. */
  readonly #idle = new Map<string, Upstream[]>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns an open idle connection that is young enough, if there is one. */
  acquire(instance: RoutedInstance, isRepeatable: boolean): Upstream | undefined {
    const kept = this.#idle.get(instance.id);
    const oldest = this.#now() - (isRepeatable ? IDLE_KEPT_MS : FRESH_MS);
    for (;;) {
      const last = kept?.pop();
      if (last === undefined) return undefined;
      if (last.idleSince >= oldest && last.isOpen) return last;
      last.destroy();
    }
  }

  /** Keeps a connection for the next request. Unexpected data closes it. */
  release(upstream: Upstream): void {
    const { id } = upstream.instance;
    const kept = this.#idle.get(id) ?? [];
    if (kept.length >= IDLE_MAX || !upstream.isOpen) {
      upstream.destroy();
      return;
    }
    upstream.assign(undefined);
    upstream.idleSince = this.#now();
    kept.push(upstream);
    if (kept.length === 1) this.#idle.set(id, kept);
  }

  /** Closes connections that were idle for too long, and those to unknown instances. */
  sweep(isKnown: (instance: string) => boolean): void {
    const oldest = this.#now() - IDLE_KEPT_MS;
    for (const [instance, kept] of this.#idle) {
      const known = isKnown(instance);
      const isYoung = ({ isOpen, idleSince }: Upstream): boolean =>
        known && isOpen && idleSince >= oldest;
      for (const upstream of kept) if (!isYoung(upstream)) upstream.destroy();
      const kept2 = kept.filter(isYoung);
      if (kept2.length === 0) this.#idle.delete(instance);
      else this.#idle.set(instance, kept2);
    }
  }

  close(): void {
    for (const kept of this.#idle.values()) for (const upstream of kept) upstream.destroy();
    this.#idle.clear();
  }
}
