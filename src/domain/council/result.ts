import { z } from 'zod';
import { Money } from '../common/money.ts';
import { Dissent, PanelResultBase, PanelState, SeatReport } from '../panel/result.ts';
import {
  CheckNote,
  Condition,
  Exchange,
  Gap,
  RaisedLine,
  RefusedLine,
  WrongNumberNote,
} from './notes.ts';

/** Money that may be negative. */
const SignedMoney = z.object({
  amount: z.string(),
  currency: z.literal('USD'),
  micro_usd: z.string().regex(/^-?\d{1,19}$/),
});

/** The result of a council. */
export const CouncilResult = PanelResultBase.extend({
  seats: z.array(SeatReport.extend({ role: z.string() })),
  dissent: z.array(Dissent.extend({ role: z.string() })),
  /** The option that the ballots chose, if red lines overruled it. */
  adjusted: z.object({ from: z.string(), why: z.array(z.string()) }).nullable(),
  /** Binding with `approve_with_conditions`; otherwise conditions that seats asked for. */
  conditions: z.array(Condition),
  red_lines: z.array(RaisedLine),
  refused_red_lines: z.array(RefusedLine),
  /** Total cost of ownership, and the same discounted; `null` without prices. */
  tco: Money.nullable(),
  tco_discounted: Money.nullable(),
  payback_months: z.number().nullable(),
  /** `known`, `never` within the term, or `unknown` from this brief. */
  payback: z.enum(['known', 'never', 'unknown']),
  budget_left: SignedMoney.nullable(),
  wrong_numbers: z.array(WrongNumberNote),
  checks: z.array(CheckNote),
  evidence_gaps: z.array(Gap),
  questions: z.array(Exchange),
});
/** A parsed {@link CouncilResult}. */
export type CouncilResult = z.infer<typeof CouncilResult>;

/** Current state of a council; the same shape throughout. */
export const CouncilState = PanelState.extend({ result: CouncilResult.optional() });
/** A parsed {@link CouncilState}. */
export type CouncilState = z.infer<typeof CouncilState>;
