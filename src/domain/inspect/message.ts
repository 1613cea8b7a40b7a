import { z } from 'zod';

const ActorId = z.string().min(1).max(256);
const Seq = z.int().min(0);

/** Topics of subscriptions. `format: 'xstate'` pushes public XState inspection events instead. */
export const Topic = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('actors') }),
  z.strictObject({
    name: z.literal('actor'),
    actorId: ActorId,
    /** First requested journal row; if absent, rows start now. */
    fromSeq: Seq.optional(),
    format: z.enum(['stoa', 'xstate']).optional(),
  }),
  z.strictObject({
    name: z.literal('feed'),
    fromSeq: Seq.optional(),
    format: z.enum(['stoa', 'xstate']).optional(),
  }),
  z.strictObject({ name: z.literal('panel'), actorId: ActorId }),
  z.strictObject({ name: z.literal('audit'), actorId: ActorId }),
  z.strictObject({ name: z.literal('runtime') }),
]);
/** A topic of a subscription. */
export type Topic = z.infer<typeof Topic>;

/** Maximum number of panels in one `panels` reading. */
export const PANEL_LINES_MAX = 100;

/** Data that a client can read once. */
export const ReadQuery = z.discriminatedUnion('name', [
  /** An actor at a journal row: `ActorPoint`. */
  z.strictObject({ name: z.literal('point'), actorId: ActorId, atSeq: Seq }),
  /** `{rows: JournalRow[], firstSeq, lastSeq}`; `firstSeq` is the oldest stored row. */
  z.strictObject({
    name: z.literal('journal'),
    actorId: ActorId,
    from: Seq,
    limit: z.int().min(1).max(500),
  }),
  /** `{rows: DeadLetterLine[], cursor?}` */
  z.strictObject({ name: z.literal('dead_letters'), cursor: z.string().max(512).optional() }),
  /**
   * `{rows: ActorRow[]}`: actors whose id starts with the text, including those outside the
   * directory.
   */
  z.strictObject({ name: z.literal('find'), text: z.string().min(1).max(256) }),
  /** `{panels: PanelLine[]}`: the given ids that are panels, audits or reports. */
  z.strictObject({
    name: z.literal('panels'),
    actorIds: z.array(ActorId).min(1).max(PANEL_LINES_MAX),
  }),
  /** `{reports: CoverageReport[]}`: coverage reports in the data directory. */
  z.strictObject({ name: z.literal('coverage') }),
]);
/** A request for data. */
export type ReadQuery = z.infer<typeof ReadQuery>;

/** Actions that an operator may run from a console, if enabled. Each action is journaled. */
export const Action = z.discriminatedUnion('name', [
  z.strictObject({
    name: z.literal('start'),
    kind: z.string().min(1).max(64),
    actorId: ActorId,
    input: z.json().optional(),
  }),
  z.strictObject({
    name: z.literal('send'),
    actorId: ActorId,
    event: z.looseObject({ type: z.string().min(1).max(128) }),
    /** A repeat with the same key has no effect, also on another connection. */
    idempotencyKey: z.string().min(1).max(256).optional(),
  }),
  z.strictObject({ name: z.literal('retry'), deadLetterId: z.string().min(1).max(256) }),
  z.strictObject({ name: z.literal('fork'), actorId: ActorId, atSeq: Seq }),
]);
/** An operator action. */
export type Action = z.infer<typeof Action>;

const MessageId = z.int().min(1);

/** A message of a client. The client chooses each id and uses it once. */
export const ClientMessage = z.discriminatedUnion('op', [
  z.strictObject({ id: MessageId, op: z.literal('subscribe'), topic: Topic }),
  z.strictObject({ id: MessageId, op: z.literal('unsubscribe'), sub: MessageId }),
  z.strictObject({ id: MessageId, op: z.literal('read'), reading: ReadQuery }),
  z.strictObject({
    id: MessageId,
    op: z.literal('act'),
    action: Action,
    /** Whether a person confirmed exactly this action. */
    confirmed: z.literal(true),
  }),
]);
/** A message of a client. */
export type ClientMessage = z.infer<typeof ClientMessage>;
