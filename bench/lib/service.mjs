// The tools of the bench as our own tool service, made by the same code as the real catalogs.
import { z } from 'zod';
import { fromDist } from './dist.mjs';
import { ANNOTATIONS, resultOf, TOOLS, zodInput, zodOutput } from './tools.mjs';

const PROGRESS_STEPS = 20;

/** A tool server without a price, free of any transport. */
export async function benchService() {
  const { createToolService } = await fromDist('tools/service/service.js');
  const output = zodOutput(z);
  return createToolService({
    server: 'commerce',
    title: 'Bench',
    version: '1',
    instructions: 'Tools without a purpose but to be measured.',
    tools: TOOLS.map(({ name, description, fields }) => ({
      server: 'commerce',
      name,
      title: name,
      description,
      annotations: ANNOTATIONS,
      input: zodInput(z, fields),
      output,
      run: name === 'progress20' ? reporting : async (input) => resultOf(name, input),
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
