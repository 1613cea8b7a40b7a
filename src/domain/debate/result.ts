import type { z } from 'zod';
import { PanelResultBase, PanelState } from '../panel/result.ts';

/** The result of a debate. `decided` has a winner; the others have none and say why. */
export const DebateResult = PanelResultBase;
/** See {@link DebateResult}. */
export type DebateResult = z.infer<typeof DebateResult>;

/** A debate as it can be read at any time; the same shape from the first moment to the last. */
export const DebateState = PanelState.extend({ result: DebateResult.optional() });
/** See {@link DebateState}. */
export type DebateState = z.infer<typeof DebateState>;
