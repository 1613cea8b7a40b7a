import type { Target } from '../target.ts';
import { frontFaults } from './front-faults.ts';
import { resultFaults } from './result-faults.ts';
import { toldFaults } from './told-faults.ts';

/** Targets that were written beside the probes, each with one fault and a twin without. */
export const knownTargets: readonly Target[] = [...resultFaults, ...toldFaults, ...frontFaults];
