/** Elements inside each other at the most. Pages of the wild have about 50. */
export const MARKUP_DEPTH_MAX = 256;

/** What a parser of markup calls for the names of tags. */
interface TagHandlers {
  onopentagname?(name: string): void;
  onopentag?(name: string, attributes: Record<string, string>, isImplied: boolean): void;
  onclosetag?(name: string, isImplied: boolean): void;
}

/**
 * The same handlers, with a look at the depth: the time of the parser grows with its square, and
 * 260 KB of tags inside each other keep it busy for seconds.
 *
 * @param stop - Ends the parsing, as `parser.pause()` does.
 */
export function withinDepth<Handlers extends TagHandlers>(
  handlers: Handlers,
  stop: () => void,
): Handlers {
  let depth = 0;
  return {
    ...handlers,
    onopentagname: (name) => {
      depth += 1;
      if (depth > MARKUP_DEPTH_MAX) stop();
      else handlers.onopentagname?.(name);
    },
    onclosetag: (name, isImplied) => {
      depth -= 1;
      handlers.onclosetag?.(name, isImplied);
    },
  };
}
