import { z } from 'zod';

/**
 * Returns the parameter of a tool that starts a job: how long the call waits for the result.
 *
 * @param maxS - Longest wait, in seconds, as is `defaultS`.
 */
export function waitField(maxS: number, defaultS: number) {
  return z
    .int()
    .min(0)
    .max(maxS)
    .default(defaultS)
    .describe(`Seconds to wait before you get a job_id. Default: ${defaultS}.`);
}
