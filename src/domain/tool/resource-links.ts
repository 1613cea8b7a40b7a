/** The MCP version that added resource links. Versions are dates, so they compare as texts. */
const LINKS_VERSION = '2025-06-18';

/**
 * Returns a tool result with text in place of resource links, for a client whose MCP version has
 * none: its schema would reject the whole result. Other results are returned as they are.
 *
 * @param version - The negotiated version, or `undefined` when it is newer than the handshake.
 */
export function replaceResourceLinks<Result extends object>(
  result: Result,
  version: string | undefined,
): Result {
  if (version === undefined || version >= LINKS_VERSION) return result;
  const { content } = result as { readonly content?: unknown };
  if (!Array.isArray(content) || !content.some(isLink)) return result;
  return { ...result, content: content.map((block) => (isLink(block) ? toText(block) : block)) };
}

interface Link {
  readonly name?: unknown;
  readonly uri?: unknown;
}

function isLink(block: unknown): block is Link {
  return (
    typeof block === 'object' &&
    block !== null &&
    (block as { readonly type?: unknown }).type === 'resource_link'
  );
}

function toText({ name, uri }: Link) {
  return { type: 'text', text: `${String(name)}: ${String(uri)}` };
}
