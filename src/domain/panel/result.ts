import { z } from 'zod';
import { Money } from '../common/money.ts';
import { PanelMode, TallyRule, TurnPhase } from './records.ts';

/** An option by id and name. */
export const NamedOption = z.object({ option_id: z.string(), name: z.string() });
const Counts = z.record(z.string(), z.number());

/** How the ballots were counted. Keys of counts are option ids. */
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
/** See {@link TallyReport}. */
export type TallyReport = z.infer<typeof TallyReport>;

/** What a panel cost its operator so far, beside what the caller paid. */
export const CostReport = z.object({
  spent: Money,
  budget: Money,
  price: Money,
  /** Turns of models without a known price; they are not in `spent`. */
  unpriced_turns: z.number(),
  /** The most that calls may have cost whose answer a crash lost. */
  orphaned_up_to: Money,
});
/** See {@link CostReport}. */
export type CostReport = z.infer<typeof CostReport>;

/** A ballot for another option than the winner. */
export const Dissent = z.object({ seat: z.string(), position: NamedOption, reason: z.string() });
/** See {@link Dissent}. */
export type Dissent = z.infer<typeof Dissent>;

/** A change of mind. */
export const Flip = z.object({
  seat: z.string(),
  from: z.string(),
  to: z.string(),
  phase: TurnPhase,
  round: z.number(),
  /** False: neither new evidence nor a named error. `null` on secret ballots. */
  supported: z.boolean().nullable(),
});
/** See {@link Flip}. */
export type Flip = z.infer<typeof Flip>;

/** Who filled a seat. */
export const SeatReport = z.object({
  seat: z.string(),
  kind: z.string(),
  model: z.string(),
  family: z.string(),
});
/** See {@link SeatReport}. */
export type SeatReport = z.infer<typeof SeatReport>;

/** What the result of every panel holds. */
export const PanelResultBase = z.object({
  outcome: z.enum(['decided', 'no_quorum', 'cancelled', 'failed']),
  winner: NamedOption.nullable(),
  rule: TallyRule.nullable(),
  /** True when the ballots alone did not decide. */
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
  /** What a refund is due, at the outcome; the payment actor sends it. */
  refund: Money.nullable(),
  transcript_root: z.string().nullable(),
  limits: z.array(z.string()),
});
/** See {@link PanelResultBase}. */
export type PanelResultBase = z.infer<typeof PanelResultBase>;

/** A turn that the caller's agent is asked for. */
export const NeededTurn = z.object({
  turn_id: z.string(),
  system: z.string(),
  prompt: z.string(),
  schema: z.record(z.string(), z.unknown()),
});
/** See {@link NeededTurn}. */
export type NeededTurn = z.infer<typeof NeededTurn>;

/** A panel as it can be read at any time; the same shape from the first moment to the last. */
export const PanelState = z.object({
  job_id: z.string(),
  /** Which kind of panel it is, such as `debate`. */
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
  /** Seats per option at the moment; empty when nobody has spoken. */
  positions: z.array(NamedOption.extend({ seats: z.number() })),
  cost: CostReport,
  transcript_uri: z.string(),
  /** When to ask again, while the job is not finished. */
  poll_after_ms: z.number().optional(),
  /** With `needs_turns`: what to bring to `get_result` as `turns: [{turn_id, answer}]`. */
  needs_turns: z.array(NeededTurn).optional(),
  /** In the shape of its kind, see the tool that ordered it. */
  result: PanelResultBase.loose().optional(),
});
/** See {@link PanelState}. */
export type PanelState = z.infer<typeof PanelState>;
