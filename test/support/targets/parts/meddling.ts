import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Category, Target, TargetPlan, Values } from '../target.ts';
import { type Variation, variationOf } from '../variation.ts';
import { plainJob } from './plain-target.ts';
import { textOf } from './tool.ts';

/** A request that may be answered in a bad way. */
export interface Meddled {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Method of the message; empty where there is none. */
  readonly method: string;
  readonly id: unknown;
  /** Requests of this run so far, this one included. */
  readonly count: number;
}

/** Makes a target that behaves badly to a client: true where a request is not to be served. */
export function meddlingTarget(plan: {
  readonly name: string;
  readonly category: Category;
  readonly fault: string;
  meddler(variation: Variation): (meddled: Meddled) => boolean;
  /** Ends what the target has opened. */
  readonly more?: Partial<TargetPlan>;
}): Target {
  return {
    name: plan.name,
    category: plan.category,
    fault: plan.fault,
    make: ({ seed, fixed }) => {
      const variation = variationOf(seed);
      const job = plainJob(variation, plan.name, plan.name);
      const served: TargetPlan = {
        ...job.plan,
        weakSpot: { ...job.plan.weakSpot, tool: job.tool.definition.name },
      };
      if (fixed) return served;
      const meddler = plan.meddler(variation);
      let count = 0;
      return {
        ...served,
        ...plan.more,
        meddle: (request, response, body) => {
          count += 1;
          return meddler({ request, response, count, ...headOf(body) });
        },
      };
    },
  };
}

function headOf(body: string): { readonly method: string; readonly id: unknown } {
  try {
    const message = JSON.parse(body) as Values;
    return { method: textOf(message['method']), id: message['id'] };
  } catch {
    return { method: '', id: undefined };
  }
}
