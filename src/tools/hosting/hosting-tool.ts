import type { z } from 'zod';
import type { Tool, ToolContext } from '../../domain/tool/tool.ts';
import { answerOf, type Told } from './answer.ts';

/** A tool of the hosting server: what it is called with, and what it has to say. */
export interface HostingToolShape<In, Out>
  extends Pick<Tool, 'name' | 'title' | 'description' | 'annotations' | 'hides' | 'unsupported'> {
  readonly input: z.ZodType<In>;
  readonly output: z.ZodType<Out>;
  run(input: In, context: ToolContext): Promise<Told<Out>>;
}

/** Makes a tool of the hosting server: free, with an answer that keeps to its schema. */
export function hostingTool<In, Out>(shape: HostingToolShape<In, Out>): Tool<In> {
  return {
    ...shape,
    server: 'hosting',
    run: async (input, context) => answerOf(shape.output, await shape.run(input, context)),
  };
}
