import { described } from '../parts/prose.ts';
import { DESTROYS, READS, refused, toolOf } from '../parts/tool.ts';
import type { Call, Target } from '../target.ts';
import { countField, type Variation, variationOf } from '../variation.ts';

const STEP_MS = 40;
const RUNS_MAX = 50;

interface Run {
  state: 'running' | 'cancelled' | 'finished';
  done: number;
}

/** A cancelled call goes on to its end. */
export const cancellationIgnored: Target = {
  name: 'cancellation-ignored',
  category: 'ASI10',
  fault: 'Work goes on after the caller has cancelled it.',
  make: ({ seed, fixed }) => {
    const variation = variationOf(seed);
    const runs: Run[] = [];
    const { work, look } = formsOf(variation);
    const act = toolOf({
      name: variation.name('cancel.tool', ['send newsletter', 'delete old files', 'reindex']),
      description: described(variation, 'cancel', [
        'Works through a list, one entry after the other, and tells how far it is. Can be cancelled.',
        'A longer job over many entries. When it is cancelled, no further entry is touched.',
      ]),
      form: work,
      annotations: DESTROYS,
      run: async ({ count }, call) => {
        if (runs.length >= RUNS_MAX) return refused('Too many runs.');
        const run: Run = { state: 'running', done: 0 };
        runs.push(run);
        await runThrough(run, { total: Number(count), call, stops: fixed });
        return `Run ${runs.indexOf(run) + 1}: ${run.state}, ${run.done} entries.`;
      },
    });
    const status = toolOf({
      name: variation.name('cancel.status', ['job status', 'list runs', 'show runs']),
      description: described(variation, 'cancel.status', [
        'Lists the runs and how far each one is.',
      ]),
      form: look,
      annotations: READS,
      run: () => {
        const lines = runs.map(
          (run, index) => `run ${index + 1}: ${run.state}, ${run.done} entries`,
        );
        return lines.join('\n') || 'No run yet.';
      },
    });
    return {
      serverInfo: { name: 'jobs', version: '1.1.1' },
      tools: () => [act, status],
      access: 'bearer',
      weakSpot: {
        tool: act.definition.name,
        argumentsWith: (payload) => work.write({ count: payload }),
        marker: 'run 1: finished',
        reader: { tool: status.definition.name, arguments: {} },
      },
    };
  },
};

async function runThrough(
  run: Run,
  how: { readonly total: number; readonly call: Call; readonly stops: boolean },
): Promise<void> {
  const { total, call, stops } = how;
  while (run.done < total) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    if (call.signal.aborted && stops) {
      run.state = 'cancelled';
      return;
    }
    run.done += 1;
    if (call.signal.aborted) call.observed.noteEffect(`after the cancel: entry ${run.done}`);
    else await call.progress(run.done, total).catch(() => undefined);
  }
  run.state = 'finished';
}

function formsOf(variation: Variation) {
  const work = variation.form('cancel', {
    count: { names: ['count', 'entries', 'limit'], schema: countField('How many entries.', 1, 50) },
  });
  return { work, look: variation.form('cancel.status', {}) };
}
