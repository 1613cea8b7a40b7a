import { z } from 'zod';

const ActorId = z.string().min(1).max(256);
const Seq = z.int().min(0);

/** What can be subscribed to. `format: 'xstate'` pushes the public inspection events instead. */
export const Topic = z.discriminatedUnion('name', [
  z.strictObject({ name: z.literal('actors') }),
  z.strictObject({
    name: z.literal('actor'),
    actorId: ActorId,
    /** First journal row that is wanted; without it rows from now on. */
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
/** See the schema. */
export type Topic = z.infer<typeof Topic>;

/** Panels that one reading tells the lines of. */
export const PANEL_LINES_MAX = 100;

/** What can be read once. */
export const Reading = z.discriminatedUnion('name', [
  /** An actor at a row: `ActorPoint`. */
  z.strictObject({ name: z.literal('point'), actorId: ActorId, atSeq: Seq }),
  /** `{rows: JournalRow[], firstSeq, lastSeq}`; `firstSeq` is the first row that is kept. */
  z.strictObject({
    name: z.literal('journal'),
    actorId: ActorId,
    from: Seq,
    limit: z.int().min(1).max(500),
  }),
  /** `{rows: DeadLetterLine[], cursor?}` */
  z.strictObject({ name: z.literal('dead_letters'), cursor: z.string().max(512).optional() }),
  /** `{rows: ActorRow[]}`: actors whose id begins with the text, beyond the directory too. */
  z.strictObject({ name: z.literal('find'), text: z.string().min(1).max(256) }),
  /** `{panels: PanelLine[]}`: those of the ids that are panels, audits or reports. */
  z.strictObject({
    name: z.literal('panels'),
    actorIds: z.array(ActorId).min(1).max(PANEL_LINES_MAX),
  }),
  /** `{reports: CoverageReport[]}`: what the testing kit left in the data directory. */
  z.strictObject({ name: z.literal('coverage') }),
]);
/** See the schema. */
export type Reading = z.infer<typeof Reading>;

/** What an operator may do from a console, where it is turned on. Each one is journaled. */
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
    /** A repeat with the same key, also on another connection, changes nothing. */
    idempotencyKey: z.string().min(1).max(256).optional(),
  }),
  z.strictObject({ name: z.literal('retry'), deadLetterId: z.string().min(1).max(256) }),
  z.strictObject({ name: z.literal('fork'), actorId: ActorId, atSeq: Seq }),
]);
/** See the schema. */
export type Action = z.infer<typeof Action>;

const MessageId = z.int().min(1);

/** One message of a client. Ids are its own and are used once. */
export const ClientMessage = z.discriminatedUnion('op', [
  z.strictObject({ id: MessageId, op: z.literal('subscribe'), topic: Topic }),
  z.strictObject({ id: MessageId, op: z.literal('unsubscribe'), sub: MessageId }),
  z.strictObject({ id: MessageId, op: z.literal('read'), reading: Reading }),
  z.strictObject({
    id: MessageId,
    op: z.literal('act'),
    action: Action,
    /** A person has said yes to exactly this action. */
    confirmed: z.literal(true),
  }),
]);
/** See the schema. */
export type ClientMessage = z.infer<typeof ClientMessage>;
