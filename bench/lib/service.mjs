// The tools of the bench as our own tool service, made by the same code as the real servers.
import { resultOf } from './answers.mjs';
import { fromDist } from './dist.mjs';
import { benchTools } from './tools.mjs';

const PROGRESS_STEPS = 20;

/** A tool server without a price, free of any transport. */
export async function benchService() {
  const { createToolService } = await fromDist('tools/service/service.js');
  const tools = await benchTools();
  return createToolService({
    server: 'commerce',
    title: 'Bench',
    version: '1',
    instructions: 'Tools that are measured.',
    tools: tools.map((tool) => ({
      ...tool,
      server: 'commerce',
      run: tool.name === 'progress20' ? reporting : async (input) => resultOf(tool.name, input),
    })),
  });
}

async function reporting({ count = PROGRESS_STEPS }, context) {
  for (let progress = 1; progress <= count; progress += 1) {
    // Each step in a turn of its own, as they come out of running work.
    await null;
    context.progress({ progress, total: count, message: `step ${progress}` });
  }
  return resultOf('progress20', {});
}
