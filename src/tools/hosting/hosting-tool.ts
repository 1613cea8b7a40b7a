import type { z } from 'zod';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import { type ToolAnswer, toToolResult } from './answer.ts';

/** The definition of a hosting tool: its texts, schemas and implementation. */
export interface HostingToolDefinition<In, Out>
  extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations' | 'hides' | 'unsupported'> {
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  run(input: In, context: ToolContext): Promise<ToolAnswer<Out>>;
}

/** Creates a hosting tool. It is free, and its answers conform to the output schema. */
export function createHostingTool<In, Out>(shape: HostingToolDefinition<In, Out>): Tool<In> {
  return {
    ...shape,
    server: 'hosting',
    run: async (input, context) => toToolResult(shape.output, await shape.run(input, context)),
  };
}
