import { isObject, tryParseJson } from '../common/json.ts';

/** The tools that search mode lists in place of all others. */
export const SEARCH_TOOLS = {
  find: 'find_tool',
  describe: 'describe_tool',
  call: 'call_tool',
} as const;

/** The call that a call of `call_tool` carries. */
export interface CarriedCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/**
 * Returns the call that `call_tool` carries; `undefined` for any other tool, and for arguments that
 * carry none, which `call_tool` itself rejects.
 */
export function unwrapCall(tool: unknown, input: unknown): CarriedCall | undefined {
  if (tool !== SEARCH_TOOLS.call || !isObject(input)) return undefined;
  const { name, arguments: given = {} } = input;
  // Models often write nested arguments as JSON text.
  const args = typeof given === 'string' ? tryParseJson(given) : given;
  return typeof name === 'string' && isObject(args) ? { name, arguments: args } : undefined;
}

/** Returns whether a tool of search mode answers by itself. */
export function isSearchTool(name: string): boolean {
  return name === SEARCH_TOOLS.find || name === SEARCH_TOOLS.describe;
}
