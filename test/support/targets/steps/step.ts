import type { RunningTarget } from '../target.ts';
import { begin, type ToolText } from './wire.ts';

/** Tries out the fault of a target: true where it is there. */
export type Step = (running: RunningTarget) => Promise<boolean>;

/** Steps by the name of their target. */
export type Steps = Readonly<Record<string, Step>>;

/** Whether any of the payloads brings the marker to light. */
export function showsWith(...payloads: readonly unknown[]): Step {
  return async (running) => {
    for (const payload of payloads) {
      const { text } = await callWeakSpot(running, payload);
      if (text.includes(running.weakSpot.marker)) return true;
    }
    return false;
  };
}

/** Calls the weak tool with a payload, in a session of its own. */
export async function callWeakSpot(running: RunningTarget, payload: unknown): Promise<ToolText> {
  const session = await begin(running);
  const { tool, argumentsWith } = running.weakSpot;
  return session.call(tool, argumentsWith(payload));
}
