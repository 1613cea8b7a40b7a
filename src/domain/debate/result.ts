import type { z } from 'zod';
import { PanelResultBase, PanelState } from '../panel/result.ts';

/** The result of a debate. Only `decided` has a winner; other outcomes state why there is none. */
export const DebateResult = PanelResultBase;
/** A parsed {@link DebateResult}. */
export type DebateResult = z.infer<typeof DebateResult>;

/** Current state of a debate; the same shape throughout. */
export const DebateState = PanelState.extend({ result: DebateResult.optional() });
/** A parsed {@link DebateState}. */
export type DebateState = z.infer<typeof DebateState>;
