import type { Clock } from '../../domain/common/clock.ts';
import { AppError, toAppError } from '../../domain/common/error.ts';
import { isObject, type Json, tryParseJson } from '../../domain/common/json.ts';
import type { Inspector } from '../../domain/inspect/inspector.ts';
import { ClientMessage, type Topic } from '../../domain/inspect/message.ts';
import type { Push, WireError, WireReply } from '../../domain/inspect/wire.ts';
import type { HostSocket, SocketListener } from '../http/socket.ts';
import { TokenBuckets } from '../mcp/call/token-buckets.ts';
import { checkBounds } from '../mcp/json-bounds.ts';
import { INSPECT_CLOSES, type InspectLimits } from './limits.ts';
import { Subscription } from './subscription.ts';

/** Number of validation errors in one reply. */
const ERRORS_SHOWN_MAX = 5;
/** Length of the invalid message in the reply, in characters. */
const RECEIVED_CHARS_SHOWN = 200;

/** Serialised texts of frames and rows that are still referenced. */
const SERIALIZED = new WeakMap<object, string>();

/** The person or program that has connected. */
export interface InspectVisitor {
  /** The author of journaled actions: `console:` and the session name, or `operator`. */
  readonly by: string;
  /** When the session expires, in milliseconds. Never when absent. */
  readonly endsAt?: number;
}

/** The dependencies of a client. */
export interface InspectDeps {
  readonly inspector: Inspector;
  readonly clock: Clock;
  readonly limits: InspectLimits;
  /** Receives internal errors, whose details the client does not see. */
  readonly onFault?: (error: AppError) => void;
}

/** The subscription that every client receives without asking. */
const HELLO_SUB = 0;
/** The id in the answer to a message whose id cannot be read. */
const NO_ID = 0;

/** One connected client with its subscriptions, open reads and limits. */
export class InspectClient implements SocketListener {
  private readonly parts: InspectDeps;
  private readonly visitor: InspectVisitor;
  private readonly socket: HostSocket;
  private readonly rate: TokenBuckets;
  private readonly subscriptions = new Map<number, Subscription>();
  private readonly openReads = new Set<number>();
  private unreadableCount = 0;
  private isBlocked = false;
  private cancelStuck: () => void = () => undefined;
  private cancelEntry: () => void = () => undefined;

  constructor(parts: InspectDeps, visitor: InspectVisitor, socket: HostSocket) {
    this.parts = parts;
    this.visitor = visitor;
    this.socket = socket;
    this.rate = new TokenBuckets(parts.limits.messageRate, 1);
    this.push({ sub: HELLO_SUB, kind: 'frame', frame: parts.inspector.hello() });
    const { endsAt } = visitor;
    if (endsAt === undefined) return;
    this.cancelEntry = parts.clock.at(endsAt, () => this.closeWith(INSPECT_CLOSES.sessionExpired));
  }

  message(text: string): void {
    if (this.rate.take('', this.parts.clock.now()) > 0) {
      this.closeWith(INSPECT_CLOSES.flood);
      return;
    }
    const read = readMessage(text);
    if (read.message !== undefined) {
      this.serve(read.message);
      return;
    }
    this.sendError(read.id ?? NO_ID, read.error);
    if (read.id !== undefined) return;
    this.unreadableCount += 1;
    if (this.unreadableCount >= this.parts.limits.unreadableMax)
      this.closeWith(INSPECT_CLOSES.malformed);
  }

  drained(): void {
    this.isBlocked = false;
    this.cancelStuck();
    for (const subscription of this.subscriptions.values()) {
      if (this.isBlocked || !this.socket.isOpen) return;
      // Moved to the end, so that each subscription gets its turn with a slow client.
      if (subscription.resume()) this.moveToEnd(subscription);
    }
  }

  closed(): void {
    this.cancelEntry();
    this.cancelStuck();
    for (const subscription of this.subscriptions.values()) subscription.end();
    this.subscriptions.clear();
    this.openReads.clear();
  }

  private serve(message: ClientMessage): void {
    const { id } = message;
    const fault = this.validate(message);
    if (fault !== undefined) this.sendError(id, fault);
    else if (message.op === 'subscribe') this.subscribe(id, message.topic);
    else if (message.op === 'unsubscribe') this.unsubscribe(id, message.sub);
    else this.read(message);
  }

  private validate({ id, op }: ClientMessage): AppError | undefined {
    const { limits } = this.parts;
    if (this.subscriptions.has(id) || this.openReads.has(id)) {
      return new AppError('INPUT_INVALID', {
        message: `The id ${id} is already in use.`,
        data: { received: id, allowed: 'an id that was not used before' },
      });
    }
    if (op === 'unsubscribe') return undefined;
    if (this.isBlocked) {
      return new AppError('OVERLOADED', {
        message: 'Too much data is waiting. Read it first, then retry.',
        data: { waiting_bytes: this.socket.waitingBytes, allowed: limits.waitingBytesMax },
      });
    }
    return op === 'subscribe'
      ? checkLimit('subscriptions', this.subscriptions.size, limits.subscriptionsMax)
      : checkLimit('reads', this.openReads.size, limits.openReadsMax);
  }

  private subscribe(id: number, topic: Topic): void {
    const subscription = new Subscription(id, {
      push: (push) => this.push(push),
      onEnded: () => this.subscriptions.delete(id),
    });
    this.subscriptions.set(id, subscription);
    this.parts.inspector
      .subscribe(topic, subscription)
      .then((inspection) => {
        if (!subscription.attach(inspection)) return;
        this.answer({ id, ok: true, result: null });
        subscription.release();
      })
      .catch((thrown: unknown) => {
        if (subscription.fail()) this.sendError(id, this.errorOf(thrown));
      });
  }

  private unsubscribe(id: number, sub: number): void {
    const subscription = this.subscriptions.get(sub);
    if (subscription === undefined) {
      const message = `No subscription has the id ${sub}.`;
      const allowed = [...this.subscriptions.keys()];
      this.sendError(
        id,
        new AppError('INPUT_INVALID', { message, data: { received: sub, allowed } }),
      );
      return;
    }
    this.subscriptions.delete(sub);
    subscription.end();
    this.answer({ id, ok: true, result: null });
  }

  private read(message: Extract<ClientMessage, { op: 'read' | 'act' }>): void {
    const { id } = message;
    const { inspector } = this.parts;
    this.openReads.add(id);
    const running =
      message.op === 'read'
        ? inspector.read(message.reading)
        : inspector.act(message.action, this.visitor.by);
    running
      .then((result: Json) => this.answer({ id, ok: true, result }))
      .catch((thrown: unknown) => this.sendError(id, this.errorOf(thrown)))
      .finally(() => this.openReads.delete(id));
  }

  private errorOf(thrown: unknown): AppError {
    const error = toAppError(thrown);
    if (error.code === 'INTERNAL') this.parts.onFault?.(error);
    return error;
  }

  private sendError(id: number, error: AppError): void {
    this.answer({ id, ok: false, error: toWireError(error) });
  }

  private answer(answer: WireReply): void {
    this.send(JSON.stringify(answer));
  }

  private push(push: Push): boolean {
    return this.send(serializePush(push));
  }

  private send(text: string): boolean {
    if (!this.socket.isOpen) return false;
    const keepsUp = this.socket.send(text);
    if (!keepsUp && !this.isBlocked && this.socket.isOpen) this.markBlocked();
    return keepsUp;
  }

  private markBlocked(): void {
    const { clock, limits } = this.parts;
    this.isBlocked = true;
    this.cancelStuck = clock.at(clock.now() + limits.stuckMs, () =>
      this.closeWith(INSPECT_CLOSES.stuck),
    );
  }

  private moveToEnd(subscription: Subscription): void {
    if (!this.subscriptions.delete(subscription.id)) return;
    this.subscriptions.set(subscription.id, subscription);
  }

  private closeWith({ code, reason }: { readonly code: number; readonly reason: string }): void {
    this.socket.close(code, reason);
  }
}

/** Converts an error for the wire. Data of `INTERNAL` is omitted. */
export function toWireError({ code, message, data }: AppError): WireError {
  const facts = code === 'INTERNAL' ? {} : toPlainData(data);
  return { code, message, ...(Object.keys(facts).length > 0 ? { data: facts } : {}) };
}

function toPlainData(data: AppError['data']): NonNullable<WireError['data']> {
  return JSON.parse(
    JSON.stringify(data, (_key, value: unknown) =>
      typeof value === 'bigint' ? value.toString() : value,
    ),
  );
}

function checkLimit(what: string, received: number, allowed: number): AppError | undefined {
  if (received < allowed) return undefined;
  return new AppError('OVERLOADED', {
    message: `A client may have at most ${allowed} open ${what}.`,
    data: { received: received + 1, allowed },
  });
}

/**
 * Serialises a push. Consoles that follow the same topic receive the same frame or rows object, so
 * it is serialised only once.
 */
export function serializePush(push: Push): string {
  const { sub, kind } = push;
  switch (kind) {
    case 'frame':
      return `{"sub":${sub},"kind":"frame","frame":${serializeOnce(push.frame)}}`;
    case 'rows':
      return (
        `{"sub":${sub},"kind":"rows","rows":${serializeOnce(push.rows)},` +
        `"nextSeq":${push.nextSeq}}`
      );
    case 'shown':
    case 'ended':
      return JSON.stringify(push);
  }
}

function serializeOnce(value: object): string {
  const known = SERIALIZED.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  SERIALIZED.set(value, text);
  return text;
}

/** The result of parsing a client's text: a message, or an error with the id if it is readable. */
type ReadMessage =
  | { readonly message: ClientMessage }
  | { readonly message?: undefined; readonly id?: number; readonly error: AppError };

/** Parses the text of a client message. */
function readMessage(text: string): ReadMessage {
  const found = checkBounds(Buffer.from(text));
  if (found !== undefined) return { error: found };
  const value = tryParseJson(text);
  const parsed = ClientMessage.safeParse(value);
  if (parsed.success) return { message: parsed.data };
  const id = isObject(value) ? value['id'] : undefined;
  const faults = parsed.error.issues.slice(0, ERRORS_SHOWN_MAX).map(({ path, message }) => {
    return path.length === 0 ? message : `${path.join('.')}: ${message}`;
  });
  const error = new AppError('INPUT_INVALID', {
    message:
      value === undefined ? 'The message is not JSON.' : 'The message does not match the schema.',
    data: { received: text.slice(0, RECEIVED_CHARS_SHOWN), faults, allowed: 'docs/inspect.md' },
  });
  const isId = typeof id === 'number' && Number.isSafeInteger(id) && id > 0;
  return isId ? { id, error } : { error };
}
