import type { PageEntry } from './pages.ts';

/** The pages that every program with durable actors has, in navigation order. */
export const INSPECTOR_PAGES: readonly PageEntry[] = [
  {
    name: 'actors',
    title: 'Actors',
    key: 'a',
    load: async () => (await import('./pages/actor/actors.tsx')).ActorsPage,
  },
  {
    name: 'dead-letters',
    title: 'Dead letters',
    key: 'd',
    load: async () => (await import('./pages/actor/dead-letters.tsx')).DeadLettersPage,
  },
  {
    name: 'machines',
    title: 'Machines',
    key: 'm',
    load: async () => (await import('./pages/machine/machines.tsx')).MachinesPage,
  },
  {
    name: 'runtime',
    title: 'Runtime',
    key: 'r',
    load: async () => (await import('./pages/runtime/runtime.tsx')).RuntimePage,
  },
  {
    name: 'actor',
    title: 'Actor',
    under: 'actors',
    load: async () => (await import('./pages/actor/actor.tsx')).ActorPage,
  },
];
