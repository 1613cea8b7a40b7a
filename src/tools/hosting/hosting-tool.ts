import type { z } from 'zod';
import type { Clock } from '../../domain/common/clock.ts';
import { isObject, type JsonObject } from '../../domain/common/json.ts';
import { joinLines } from '../../domain/common/text.ts';
import type { HostingProvider } from '../../domain/hosting/hosting.ts';
import { composeResult, formatCost } from '../../domain/tool/result-text.ts';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import type { ToolResult } from '../../domain/tool/tool-result.ts';

/** Maximum characters of the readable text; the structured content is always complete. */
export const TEXT_CHARS_MAX = 60_000;

/** Dependencies of the hosting tools. */
export interface HostingToolDeps {
  readonly provider: HostingProvider;
  readonly clock: Clock;
  /** True for a hosted server: it has no address of its own that an IP allowlist could hold. */
  readonly isHosted?: boolean;
}

/** The answer of a tool before it becomes a result. */
export interface ToolAnswer<Out> {
  readonly line: string;
  /** Further readable lines; if omitted, the facts of `value`. */
  readonly lines?: readonly string[];
  readonly value: Out;
}

/** The definition of a hosting tool: its texts, schemas and implementation. */
export interface HostingToolDefinition<In, Out>
  extends Pick<
    Tool,
    | 'name'
    | 'title'
    | 'description'
    | 'summary'
    | 'example'
    | 'annotations'
    | 'hides'
    | 'unsupported'
  > {
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  run(input: In, context: ToolContext): Promise<ToolAnswer<Out>>;
}

/** Creates a hosting tool. It is free, and its answers conform to the output schema. */
export function createHostingTool<In, Out>(shape: HostingToolDefinition<In, Out>): Tool<In> {
  return {
    ...shape,
    server: 'hosting',
    run: async (input, context) =>
      toToolResult(shape, await shape.run(input, context), context.origin),
  };
}

/**
 * Creates the result of a tool. The output schema strips every member that it does not name, so
 * that a provider's secret cannot leak.
 */
function toToolResult<In, Out>(
  { output, annotations }: HostingToolDefinition<In, Out>,
  { line, lines, value }: ToolAnswer<Out>,
  origin: string | undefined,
) {
  const content = output.parse(value);
  const structuredContent = JSON.parse(JSON.stringify(content)) as JsonObject;
  const below = lines ?? formatFacts(structuredContent);
  const { dashboardUrl, settingsUrl } = structuredContent;
  const see = dashboardUrl ?? settingsUrl;
  const text = composeResult({
    answer: line,
    why: annotations.readOnlyHint
      ? 'this is what the host reports now.'
      : 'you asked for it, and the host accepted it.',
    decidedBy: 'the host, within what your token allows',
    cost: formatCost(undefined),
    see: typeof see === 'string' ? see : undefined,
    origin,
    details: below,
  });
  const shown =
    text.length <= TEXT_CHARS_MAX
      ? text
      : `${text.slice(0, TEXT_CHARS_MAX)}\n… the rest is in the structured content`;
  const result: ToolResult = { content: [{ type: 'text', text: shown }], structuredContent };
  return result;
}

/** Formats a value as indented `name: value` lines without absent members. */
export function formatFacts(value: unknown, indent = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => formatItem(item, indent));
  if (!isObject(value)) return [`${indent}${formatScalar(value)}`];
  return Object.entries(value).flatMap(([name, member]) => formatMember(name, member, indent));
}

function formatItem(item: unknown, indent: string): readonly string[] {
  if (!isObject(item) && !Array.isArray(item)) return [`${indent}- ${formatScalar(item)}`];
  const [first = '', ...rest] = formatFacts(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...rest];
}

function formatMember(name: string, member: unknown, indent: string): readonly string[] {
  const isList = Array.isArray(member);
  if (isList && member.length === 0) return [`${indent}${name}: none`];
  if (isList && member.every((item) => typeof item !== 'object')) {
    // With separators alone, more items would exceed the limit of the text.
    const items = member.slice(0, TEXT_CHARS_MAX / 2);
    return [`${indent}${name}: ${items.map(formatScalar).join(', ')}`];
  }
  if (isList || isObject(member))
    return [`${indent}${name}:`, ...formatFacts(member, `${indent}  `)];
  return [`${indent}${name}: ${formatScalar(member)}`];
}

function formatScalar(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value !== 'string' || value === '') return JSON.stringify(value) ?? '';
  return joinLines(value);
}
