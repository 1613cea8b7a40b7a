import type { Ready } from '../../process/server/ready-file.ts';

/** Text to paste into an MCP client that cannot pay by itself. */
export interface PasteLines {
  /** One shell line for Claude Code. */
  readonly claude: string;
  /** The same for clients with a JSON file of servers. */
  readonly json: { readonly mcpServers: { readonly stoa: Command } };
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the lines that start `stoa connect` for a server. Paths are absolute, because MCP clients
 * start commands from their own folders.
 *
 * @param program - Paths of Node and of the command line program.
 */
export function createPasteLines(
  ready: Pick<Ready, 'mcp'>,
  dataDir: string,
  program: { readonly node: string; readonly cli: string },
): PasteLines {
  const args = [program.cli, 'connect', ready.mcp, '--data', dataDir];
  const line = [program.node, ...args].map(quoteForShell).join(' ');
  return {
    claude: `claude mcp add stoa -- ${line}`,
    json: { mcpServers: { stoa: { command: program.node, args } } },
  };
}

/** Quotes a word for a POSIX shell if needed. */
function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
