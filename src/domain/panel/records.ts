import { z } from 'zod';
import { MicroUsdText } from '../common/money.ts';

/** Fewest and most seats of a debate and of a council (specification section 8). */
export const PANEL_SEATS_MIN = 5;
/** See {@link PANEL_SEATS_MIN}. */
export const PANEL_SEATS_MAX = 11;
/** Most rounds of any panel. */
export const PANEL_ROUNDS_MAX = 3;
/** Longest wait for an answer on the line, in seconds. */
export const WAIT_S_MAX = 300;
/** Longest deadline of a panel, in seconds: one day. */
export const DEADLINE_S_MAX = 86_400;
/** Most characters of one argument. */
export const ARGUMENT_CHARS_MAX = 600;

/** Name of a phase in which seats take turns, as it stands in the ids of turns. */
export const TurnPhase = z.string().regex(/^[a-z][a-z_]{0,23}$/);
/** See {@link TurnPhase}. */
export type TurnPhase = z.infer<typeof TurnPhase>;

/** The phase in which every panel votes: what is said in it is secret until the count. */
export const BALLOT_PHASE = 'vote';
/** The phase in which a seat may be assigned an argument that is not its own. */
export const ASSIGNED_PHASE = 'rebuttal';

/** What fills a seat: a model, a named decision procedure, or the caller's own agent. */
export const SeatKind = z.enum(['llm', 'rule', 'caller']);
/** See {@link SeatKind}. */
export type SeatKind = z.infer<typeof SeatKind>;

/** A member of a panel. `model` and `family` never reach another seat's view. */
export const Seat = z.object({
  seatId: z.string().regex(/^s\d{1,2}$/),
  role: z.string(),
  kind: SeatKind,
  /** `vendor:model`, `rule:<procedure>.v1` or `caller`. */
  model: z.string(),
  family: z.string(),
});
/** See {@link Seat}. */
export type Seat = z.infer<typeof Seat>;

/** Tokens of a turn; `input` is the total including cached tokens. */
export const TurnUsage = z.object({
  input: z.number().int().nonnegative(),
  output: z.number().int().nonnegative(),
  cacheRead: z.number().int().nonnegative(),
  cacheWrite: z.number().int().nonnegative(),
  source: z.enum(['provider', 'estimated', 'bounded', 'none']),
});

/** One turn of one seat. Texts are kept by hash; `argumentSha` names the argument. */
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
  /** Option ids, best first; on votes. */
  ranking: z.array(z.string()).optional(),
  /** Groups of options in the ranking that the seat holds equal. */
  equal: z.array(z.array(z.string())).optional(),
  evidenceIds: z.array(z.string()).optional(),
  changedFrom: z.string().optional(),
  changeReason: z.string().optional(),
  /** What the panel's own form of answer holds beside the argument, as canonical JSON by hash. */
  contentSha: z.string().optional(),
  /** Seats that are spoken to, by id; absent where a turn is for all. */
  addressed: z.array(z.string()).optional(),
  /** A change of mind without a new evidence id or a named error: accepted and marked. */
  unsupportedFlip: z.boolean().optional(),
  usage: TurnUsage,
  /** `null`: the model has no known price. */
  costMicroUsd: MicroUsdText.nullable(),
  /** The most that calls may have cost whose answer was lost with a crash; counts to the budget. */
  orphanedMicroUsd: MicroUsdText.optional(),
  priceSource: z.string(),
  ms: z.number().nonnegative(),
  promptSha: z.string(),
  outputSha: z.string(),
  requestId: z.string().nullable(),
  /** The model that was asked last, where it is not the seat's or its host names another one. */
  answeredBy: z
    .object({
      /** `vendor:model` that was asked. */
      model: z.string(),
      /** What the host says has answered. */
      served: z.string().optional(),
      family: z.string(),
    })
    .optional(),
  /** Why a turn is not `ok`. */
  detail: z.string().optional(),
});
/** See {@link Turn}. */
export type Turn = z.infer<typeof Turn>;

/** A secret ballot. */
export const Ballot = z.object({
  seatId: z.string(),
  status: z.enum(['cast', 'abstain', 'spoiled']),
  ranking: z.array(z.string()),
  /** Groups of options that the seat holds equal; their order in the ranking says nothing. */
  equal: z.array(z.array(z.string())).optional(),
  confidence: z.number().min(0).max(1),
  reason: z.string(),
  /** `position`: the vote was cut off, and the seat's last own position counts instead. */
  source: z.enum(['vote', 'position']).optional(),
});
/** See {@link Ballot}. */
export type Ballot = z.infer<typeof Ballot>;

/** The rule that decided, in the order of the ladder. */
export const TallyRule = z.enum([
  'majority',
  'instant_runoff',
  'borda_tiebreak',
  'chair_casting_vote',
  'status_quo_default',
]);
/** See {@link TallyRule}. */
export type TallyRule = z.infer<typeof TallyRule>;

/**
 * How a runoff is counted: 2 drops one option at a time. Panels from before have no number: they
 * dropped all of the lowest at once, and their transcripts are still checked that way.
 */
export const Counting = z.literal(2);
/** See {@link Counting}. */
export type Counting = z.infer<typeof Counting>;

/** Who spoke: models, rules only, both, or the caller's agent. */
export const PanelMode = z.enum(['llm', 'mixed', 'rules_only', 'caller']);
/** See {@link PanelMode}. */
export type PanelMode = z.infer<typeof PanelMode>;

/** What the machine of a panel is created with; its actor id is the job id. */
export const PanelInput = z.object({
  jobId: z.string(),
  /** The payment behind it; told `WORK.DONE`, `WORK.FAILED` or `WORK.CANCELLED` at the end. */
  paymentId: z.string().optional(),
  briefSha: z.string(),
  optionIds: z.array(z.string()),
  seats: z.array(Seat).min(1).max(PANEL_SEATS_MAX),
  chairSeatId: z.string(),
  /** Argues against the leading option; its ballot stays free. */
  devilSeatId: z.string().optional(),
  maxRounds: z.number().int().min(0).max(PANEL_ROUNDS_MAX),
  /** Option id that wins when nothing else decides. */
  tieDefault: z.string(),
  counting: Counting.optional(),
  /** Hard cap of what the models may cost; below the price. */
  budgetMicroUsd: MicroUsdText,
  /** What the caller paid; a refund never exceeds it. */
  priceMicroUsd: MicroUsdText,
  /** From the first turn to the forced vote, in milliseconds. */
  deadlineMs: z.number().int().positive(),
  /** For shuffles of labels: the same seed gives the same views. */
  seed: z.string(),
  mode: PanelMode,
  /** What the caller laid down for this panel, by name of the rule. */
  policy: z.record(z.string(), z.array(z.string())).optional(),
});
/** See {@link PanelInput}. */
export type PanelInput = z.infer<typeof PanelInput>;
