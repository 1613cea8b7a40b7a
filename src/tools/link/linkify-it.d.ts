/** The part of linkify-it that is used here; the package carries no types. */
declare module 'linkify-it' {
  /** Finds links in text. */
  class LinkifyIt {
    constructor(
      schemas: Readonly<Record<string, unknown>>,
      options: { fuzzyLink: boolean; fuzzyEmail: boolean; fuzzyIP: boolean },
    );
    add(schema: string, definition: null): this;
    matchAtStart(text: string): { raw: string } | null;
  }

  export = LinkifyIt;
}
