import type { ComponentType } from 'preact';

/** What a page is given. */
export interface PageProps {
  /** Parts of the path behind the page's own name, decoded: an id, for one. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

/** One page of the console. */
export interface PageEntry {
  /** First part of its path: `/console/<name>`. */
  readonly name: string;
  readonly title: string;
  /** Stands in the navigation, with this key behind `g`. */
  readonly key?: string;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

/** All pages; the navigation shows them in this order. A new page is its file and one line here. */
export const PAGES: readonly PageEntry[] = [
  {
    name: 'actors',
    title: 'Actors',
    key: 'a',
    load: async () => (await import('./pages/actors.tsx')).ActorsPage,
  },
  {
    name: 'panels',
    title: 'Panels',
    key: 'p',
    load: async () => (await import('./pages/panels.tsx')).PanelsPage,
  },
  {
    name: 'machines',
    title: 'Machines',
    key: 'm',
    load: async () => (await import('./pages/machines.tsx')).MachinesPage,
  },
  {
    name: 'runtime',
    title: 'Runtime',
    key: 'r',
    load: async () => (await import('./pages/runtime.tsx')).RuntimePage,
  },
  {
    name: 'panel',
    title: 'Panel',
    load: async () => (await import('./pages/panel.tsx')).PanelPage,
  },
  {
    name: 'actor',
    title: 'Actor',
    load: async () => (await import('./pages/actor.tsx')).ActorPage,
  },
];
