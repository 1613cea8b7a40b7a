/** Maximum nesting of elements. Real pages have about 50 levels. */
export const MARKUP_DEPTH_MAX = 256;

/** Handlers that a markup parser calls for tags. */
interface TagHandlers {
  onopentagname?(name: string): void;
  onopentag?(name: string, attributes: Record<string, string>, isImplied: boolean): void;
  onclosetag?(name: string, isImplied: boolean): void;
}

/**
 * Wraps handlers with a depth limit: parsing time grows with the square of the depth, and 260 KB of
 * nested tags block the parser for seconds.
 *
 * @param stop - Stops the parser, as `parser.pause()` does.
 */
export function limitDepth<Handlers extends TagHandlers>(
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
