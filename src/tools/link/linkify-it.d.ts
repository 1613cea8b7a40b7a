/** Types of the used part of linkify-it, which ships without types. */
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
