import type { Reading } from '../data/upstreams.ts';
import type { PeerCertificate } from '../net/egress.ts';

/** A page as it was read: everything in it is a stranger's. */
export interface ReadPage {
  readonly finalUrl: string;
  readonly redirects: readonly string[];
  readonly contentType: string;
  readonly encoding: string;
  readonly engine: 'readability' | 'body' | 'plain';
  readonly title: string | null;
  readonly byline: string | null;
  readonly publishedAt: string | null;
  readonly lang: string | null;
  readonly text: string;
  readonly links: readonly { readonly url: string; readonly text: string }[];
  readonly hiddenElements: number;
  readonly comments: number;
  /** Line of robots.txt that allows it; `null` where none says anything. */
  readonly robotsLine: number | null;
  /** Of the answer, by names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` without encryption. */
  readonly certificate: PeerCertificate | null;
}

/** Reads the main content of pages that a buyer names. */
export interface PageReader {
  /**
   * Reads one page, if its host allows it. Never throws for what a page or a host does.
   *
   * @param deadline - Milliseconds at which the answer must be there.
   * @param o - Whether a page without any text counts as read; by default it does not.
   */
  read(
    url: string,
    deadline: number,
    o?: { readonly mayBeEmpty: boolean },
  ): Promise<Reading<ReadPage>>;
}
