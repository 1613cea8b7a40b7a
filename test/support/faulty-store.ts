import type { EngineStore } from '../../src/runtime/engine/ports.ts';

/** How a store misbehaves. */
export interface Faults {
  readonly hasRoom?: () => boolean;
  /** Asked before every commit; it fails while this is true. */
  readonly fails?: () => boolean;
}

/** A store over another one that misbehaves as told. */
export function faultyStore(store: EngineStore, faults: Faults): EngineStore {
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'hasRoom' && faults.hasRoom !== undefined) return faults.hasRoom;
      if (name === 'commit' && faults.fails?.() === true) {
        return () => Promise.reject(new Error('the disk is gone'));
      }
      const member = Reflect.get(target, name) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
