import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageEntry } from '../pages.ts';

/** What differs between the console of a server and the inspector of a program. */
export interface ConsoleSite {
  /** Pages in navigation order. */
  readonly pages: readonly PageEntry[];
  /** What the actors live in. */
  readonly host: 'server' | 'program';
}

/** The site of this document. */
export const SiteContext = createContext<ConsoleSite>({ pages: [], host: 'server' });

/** Returns the site of this document. */
export function useSite(): ConsoleSite {
  return useContext(SiteContext);
}
