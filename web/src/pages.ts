import type { ComponentType } from 'preact';
import type { PageProps } from './shell/router.ts';

/** One page of the console. */
export interface PageEntry {
  /** First path segment: `/console/<name>`. */
  readonly name: string;
  readonly title: string;
  /** Shows the page in the navigation; `g` and this key open it. */
  readonly key?: string;
  /** Name of the navigation page that this page belongs to. */
  readonly under?: string;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

/** All pages in navigation order. A new page needs its file and one entry here. */
export const PAGES: readonly PageEntry[] = [
  {
    name: 'actors',
    title: 'Actors',
    key: 'a',
    load: async () => (await import('./pages/actor/actors.tsx')).ActorsPage,
  },
  {
    name: 'panels',
    title: 'Panels',
    key: 'p',
    load: async () => (await import('./pages/panel/panels.tsx')).PanelsPage,
  },
  {
    name: 'reports',
    title: 'Reports',
    key: 'e',
    load: async () => (await import('./pages/report/reports.tsx')).ReportsPage,
  },
  {
    name: 'work',
    title: 'Work',
    key: 'w',
    load: async () => (await import('./pages/escrow/work.tsx')).WorkPage,
  },
  {
    name: 'passports',
    title: 'Passports',
    key: 'i',
    load: async () => (await import('./pages/trust/passports.tsx')).PassportsPage,
  },
  {
    name: 'proofs',
    title: 'Proofs',
    key: 'f',
    load: async () => (await import('./pages/trust/proofs.tsx')).ProofsPage,
  },
  {
    name: 'treasury',
    title: 'Treasury',
    key: 'y',
    load: async () => (await import('./pages/trust/treasury.tsx')).TreasuryPage,
  },
  {
    name: 'controls',
    title: 'Controls',
    key: 'c',
    load: async () => (await import('./pages/trust/controls.tsx')).ControlsPage,
  },
  {
    name: 'hosting',
    title: 'Hosting',
    key: 'h',
    load: async () => (await import('./pages/hosting/hosting.tsx')).HostingPage,
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
    name: 'job',
    title: 'Job',
    under: 'work',
    load: async () => (await import('./pages/escrow/job.tsx')).JobPage,
  },
  {
    name: 'panel',
    title: 'Panel',
    under: 'panels',
    load: async () => (await import('./pages/panel/panel.tsx')).PanelPage,
  },
  {
    name: 'audit',
    title: 'Audit',
    under: 'panels',
    load: async () => (await import('./pages/audit/audit.tsx')).AuditPage,
  },
  {
    name: 'report',
    title: 'Report',
    under: 'reports',
    load: async () => (await import('./pages/report/report.tsx')).ReportPage,
  },
  {
    name: 'actor',
    title: 'Actor',
    under: 'actors',
    load: async () => (await import('./pages/actor/actor.tsx')).ActorPage,
  },
];
