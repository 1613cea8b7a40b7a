import { conductSteps } from './conduct-steps.ts';
import { frontSteps } from './front-steps.ts';
import type { Steps } from './step.ts';
import { textSteps } from './text-steps.ts';
import { toolSteps } from './tool-steps.ts';

/** For each target one step that shows its fault, and shows nothing on the twin. */
export const allSteps: Steps = { ...textSteps, ...toolSteps, ...frontSteps, ...conductSteps };
