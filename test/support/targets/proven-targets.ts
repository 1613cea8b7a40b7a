import { startTarget } from './start-target.ts';
import { allSteps } from './steps/all-steps.ts';
import type { Target } from './target.ts';

/** What trying out a variant showed. */
export interface Tried {
  /** The step that shows the fault succeeded. */
  readonly isShown: boolean;
  /** What the target itself saw of its fault. */
  readonly effects: readonly string[];
}

/** Starts one variant, tries out its fault and ends it. */
export async function tryOut(target: Target, seed: number, fixed: boolean): Promise<Tried> {
  const step = allSteps[target.name];
  if (step === undefined) throw new Error(`no step shows ${target.name}`);
  const running = await startTarget(target, { seed, fixed });
  try {
    const isShown = await step(running);
    return { isShown, effects: running.observed.effects };
  } finally {
    await running.close();
  }
}
