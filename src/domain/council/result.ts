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
  /** What the ballots chose, where red lines made something else of it. */
  adjusted: z.object({ from: z.string(), why: z.array(z.string()) }).nullable(),
  /** Binding with `approve_with_conditions`, else what seats asked for. */
  conditions: z.array(Condition),
  red_lines: z.array(RaisedLine),
  refused_red_lines: z.array(RefusedLine),
  /** Cost of the term, and the same discounted; `null` where the brief has no prices. */
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
/** See {@link CouncilResult}. */
export type CouncilResult = z.infer<typeof CouncilResult>;

/** A council as it can be read at any time; the same shape from the first moment to the last. */
export const CouncilState = PanelState.extend({ result: CouncilResult.optional() });
/** See {@link CouncilState}. */
export type CouncilState = z.infer<typeof CouncilState>;
