import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';

/** Minimum number of seats of a debate and a council (specification section 8). */
export const PANEL_SEATS_MIN = 5;
/** Maximum number of seats of a debate and a council. */
export const PANEL_SEATS_MAX = 11;
/** Maximum number of rounds of any panel. */
export const PANEL_ROUNDS_MAX = 3;
/** Maximum time that a call waits for a result, in seconds. */
export const WAIT_S_MAX = 300;
/** Maximum deadline of a panel, in seconds: one day. */
export const DEADLINE_S_MAX = 86_400;
/** Maximum length of an argument, in characters. */
export const ARGUMENT_CHARS_MAX = 600;

/** Name of a seat phase, as used in turn ids. */
export const TurnPhase = z.string().regex(/^[a-z][a-z_]{0,23}$/);
/** The name of a seat phase. */
export type TurnPhase = z.infer<typeof TurnPhase>;

/** The phase in which every panel votes. Its turns are secret until the count. */
export const BALLOT_PHASE = 'vote';
/** The phase in which a seat may have to argue an assigned position. */
export const ASSIGNED_PHASE = 'rebuttal';

/** What fills a seat: a model, a named decision rule, or the caller's own agent. */
export const SeatKind = z.enum(['llm', 'rule', 'caller']);
/** The kind of a seat. */
export type SeatKind = z.infer<typeof SeatKind>;

/** A member of a panel. `model` and `family` never appear in the view of another seat. */
export const Seat = z.object({
  seatId: z.string().regex(/^s\d{1,2}$/),
  role: z.string(),
  kind: SeatKind,
  /** `vendor:model`, `rule:<procedure>.v1` or `caller`. */
  model: z.string(),
  family: z.string(),
});
/** A member of a panel. */
export type Seat = z.infer<typeof Seat>;

/** Token usage of a turn. `input` includes cached tokens. */
export const TurnUsage = z.object({
  input: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  cacheRead: z.number().int().nonnegative(),
  cacheWrite: z.number().int().nonnegative(),
  source: z.enum(['provider', 'estimated', 'bounded', 'none']),
});

/** A turn of one seat. Texts are stored by hash; `argumentSha` refers to the argument. */
export const Turn = z.object({
  /** `panelId/phase/round/seatId`. */
  turnId: z.string(),
  phase: TurnPhase,
  round: z.number().int().nonnegative(),
  seatId: z.string(),
  status: z.enum(['ok', 'invalid', 'timeout', 'refused', 'provider_error', 'aborted']),
  attempts: z.number().int().nonnegative(),
  /** Option id. */
  position: z.string().optional(),
  argumentSha: z.string().optional(),
  confidence: z.number().min(0).max(1).optional(),
  /** Option ids, best first; in votes. */
  ranking: z.array(z.string()).optional(),
  /** Groups of options that the seat ranks equally. */
  equal: z.array(z.array(z.string())).optional(),
  evidenceIds: z.array(z.string()).optional(),
  changedFrom: z.string().optional(),
  changeReason: z.string().optional(),
  /** Hash of the further content of the panel's own form, as canonical JSON. */
  contentSha: z.string().optional(),
  /** Ids of the addressed seats; absent if the turn addresses all. */
  addressed: z.array(z.string()).optional(),
  /**
   * Whether the position changed without new evidence or a named error. Such turns are accepted and
   * marked.
   */
  unsupportedFlip: z.boolean().optional(),
  usage: TurnUsage,
  /** `null` if the model has no known price. */
  costMicroUsd: MicroUsdText.nullable(),
  /** Maximum cost of calls whose response was lost in a crash. It counts towards the budget. */
  orphanedMicroUsd: MicroUsdText.optional(),
  priceSource: z.string(),
  ms: z.number().nonnegative(),
  promptSha: z.string(),
  outputSha: z.string(),
  requestId: z.string().nullable(),
  /** The last model called, if it is not the seat's model or the host names another one. */
  answeredBy: z
    .object({
      /** `vendor:model` that was called. */
      model: z.string(),
      /** The model that answered according to the host. */
      served: z.string().optional(),
      family: z.string(),
    })
    .optional(),
  /** Why the turn is not `ok`. */
  detail: z.string().optional(),
});
/** A turn of one seat. */
export type Turn = z.infer<typeof Turn>;

/** A secret ballot. */
export const Ballot = z.object({
  seatId: z.string(),
  status: z.enum(['cast', 'abstain', 'spoiled']),
  ranking: z.array(z.string()),
  /**
   * Groups of options that the seat ranks equally. Their order within the ranking is irrelevant.
   */
  equal: z.array(z.array(z.string())).optional(),
  confidence: z.number().min(0).max(1),
  reason: z.string(),
  /** `position`: the vote was cut off, and the last own position of the seat counts. */
  source: z.enum(['vote', 'position']).optional(),
});
/** A secret ballot. */
export type Ballot = z.infer<typeof Ballot>;

/** The deciding rules, in the order in which they apply. */
export const TallyRule = z.enum([
  'majority',
  'instant_runoff',
  'borda_tiebreak',
  'chair_casting_vote',
  'status_quo_default',
]);
/** The rule that decided. */
export type TallyRule = z.infer<typeof TallyRule>;

/**
 * Version of the runoff count. Version 2 eliminates one option at a time. Older panels have no
 * version: they eliminated all lowest options at once, and their transcripts are still verified
 * that way.
 */
export const Counting = z.literal(2);
/** The version of the runoff count. */
export type Counting = z.infer<typeof Counting>;

/** What fills the seats: models, models and rules, only rules, or the caller's agent. */
export const PanelMode = z.enum(['llm', 'mixed', 'rules_only', 'caller']);
/** What fills the seats of a panel. */
export type PanelMode = z.infer<typeof PanelMode>;

/** Input of a panel machine. Its actor id is the job id. */
export const PanelInput = z.object({
  jobId: z.string(),
  /**
   * The payment of the panel. It receives `WORK.DONE`, `WORK.FAILED` or `WORK.CANCELLED` at the
   * end.
   */
  paymentId: z.string().optional(),
  briefSha: z.string(),
  optionIds: z.array(z.string()),
  seats: z.array(Seat).min(1).max(PANEL_SEATS_MAX),
  chairSeatId: z.string(),
  /** Seat that argues against the leading option. Its ballot is free. */
  devilSeatId: z.string().optional(),
  maxRounds: z.number().int().min(0).max(PANEL_ROUNDS_MAX),
  /** Option id that wins if no other rule decides. */
  tieDefault: z.string(),
  counting: Counting.optional(),
  /** Hard limit on model costs, below the price. */
  budgetMicroUsd: MicroUsdText,
  /** Amount that the caller paid. A refund never exceeds it. */
  priceMicroUsd: MicroUsdText,
  /** Time from the first turn to the forced vote, in milliseconds. */
  deadlineMs: z.number().int().positive(),
  /** Seed of label shuffles. The same seed gives the same views. */
  seed: z.string(),
  mode: PanelMode,
  /** Rules of the caller for this panel, by name. */
  policy: z.record(z.string(), z.array(z.string())).optional(),
});
/** Input of a panel machine. */
export type PanelInput = z.infer<typeof PanelInput>;
