import type { Target } from '../target.ts';
import { changesTools } from './changes-tools.ts';
import { closes } from './closes.ts';
import { floods } from './floods.ts';
import { hangs } from './hangs.ts';
import { redirectsInside } from './redirects-inside.ts';

/** Targets that are hard on whoever looks at them; their twins behave. */
export const misbehavingTargets: readonly Target[] = [
  hangs,
  floods,
  changesTools,
  redirectsInside,
  closes,
];
