import type { SourceReading } from '../data/upstreams.ts';
import type { PeerCertificate } from '../net/egress.ts';

/** The content of a page. All of it is untrusted. */
export interface PageContent {
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
  /** Line of robots.txt that allows the page; `null` if no line applies. */
  readonly robotsLine: number | null;
  /** Response headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** `null` without encryption. */
  readonly certificate: PeerCertificate | null;
}

/** Reads the main content of pages that a buyer names. */
export interface PageReader {
  /**
   * Reads one page if its host allows it. Failures of the page or host are returned, never thrown.
   *
   * @param deadline - Milliseconds since 1970.
   * @param o - Whether a page without text counts as read; default false.
   */
  read(
    url: string,
    deadline: number,
    o?: { readonly mayBeEmpty: boolean },
  ): Promise<SourceReading<PageContent>>;
}
