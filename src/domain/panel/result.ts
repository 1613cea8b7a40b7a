import { z } from 'zod';
import { Money } from '../common/money.ts';
import { PanelMode, TallyRule, TurnPhase } from './records.ts';

/** An option by id and name. */
export const NamedOption = z.object({ option_id: z.string(), name: z.string() });
const Counts = z.record(z.string(), z.number());

/** The count of the ballots, keyed by option id. */
export const TallyReport = z.object({
  quorum: z.number(),
  cast: z.number(),
  seats: z.number(),
  first_choices: z.array(NamedOption.extend({ votes: z.number() })),
  rounds: z.array(z.object({ counts: Counts, eliminated: z.array(z.string()) })),
  tied: z.array(z.string()),
  borda: Counts.nullable(),
  margin: z.number(),
});
/** The count of the ballots. */
export type TallyReport = z.infer<typeof TallyReport>;

/** Cost of a panel to its operator so far, and the price that the caller paid. */
export const CostReport = z.object({
  spent: Money,
  budget: Money,
  price: Money,
  /** Turns of models without a known price; not included in `spent`. */
  unpriced_turns: z.number(),
  /** Maximum cost of calls whose response was lost in a crash. */
  orphaned_up_to: Money,
});
/** Cost and price of a panel. */
export type CostReport = z.infer<typeof CostReport>;

/** A ballot for another option than the winner. */
export const Dissent = z.object({ seat: z.string(), position: NamedOption, reason: z.string() });
/** A ballot for another option than the winner. */
export type Dissent = z.infer<typeof Dissent>;

/** A change of position. */
export const Flip = z.object({
  seat: z.string(),
  from: z.string(),
  to: z.string(),
  phase: TurnPhase,
  round: z.number(),
  /** False without new evidence and without a named error; `null` for secret ballots. */
  supported: z.boolean().nullable(),
});
/** A change of position. */
export type Flip = z.infer<typeof Flip>;

/** A seat and what filled it. */
export const SeatReport = z.object({
  seat: z.string(),
  kind: z.string(),
  model: z.string(),
  family: z.string(),
});
/** A seat and what filled it. */
export type SeatReport = z.infer<typeof SeatReport>;

/** Fields of every panel result. */
export const PanelResultBase = z.object({
  outcome: z.enum(['decided', 'no_quorum', 'cancelled', 'failed']),
  winner: NamedOption.nullable(),
  rule: TallyRule.nullable(),
  /** Whether the ballots alone did not decide. */
  forced: z.boolean(),
  tally: TallyReport.nullable(),
  dissent: z.array(Dissent),
  flips: z.array(Flip),
  seats: z.array(SeatReport),
  mode: PanelMode,
  families: z.number(),
  cost: CostReport,
  /** Why the outcome is not `decided`. */
  reason: z.string().nullable(),
  /** The refund due for this outcome; the payment actor sends it. */
  refund: Money.nullable(),
  transcript_root: z.string().nullable(),
  limits: z.array(z.string()),
});
/** Fields of every panel result. */
export type PanelResultBase = z.infer<typeof PanelResultBase>;

/** A turn that the caller's agent must take. */
export const NeededTurn = z.object({
  turn_id: z.string(),
  system: z.string(),
  prompt: z.string(),
  schema: z.record(z.string(), z.unknown()),
});
/** A turn that the caller's agent must take. */
export type NeededTurn = z.infer<typeof NeededTurn>;

/** The state of a panel. Its shape is the same over the whole life of the panel. */
export const PanelState = z.object({
  job_id: z.string(),
  /** Kind of panel, such as `debate`. */
  kind: z.string(),
  status: z.enum(['working', 'needs_turns', 'decided', 'no_quorum', 'cancelled', 'failed']),
  phase: z.string(),
  round: z.number(),
  max_rounds: z.number(),
  seats: z.number(),
  turns_done: z.number(),
  turns_planned: z.number(),
  mode: PanelMode,
  families: z.number(),
  /** Current number of seats per option; empty before the first turn. */
  positions: z.array(NamedOption.extend({ seats: z.number() })),
  cost: CostReport,
  transcript_uri: z.string(),
  /** Recommended delay before the next poll, while the job is running. */
  poll_after_ms: z.number().optional(),
  /** With `needs_turns`: the turns to pass to `get_result` as `turns: [{turn_id, answer}]`. */
  needs_turns: z.array(NeededTurn).optional(),
  /** Shape depends on the kind; see the tool that ordered the panel. */
  result: PanelResultBase.loose().optional(),
});
/** The state of a panel. */
export type PanelState = z.infer<typeof PanelState>;
