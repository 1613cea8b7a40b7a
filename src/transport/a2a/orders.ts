import { z } from 'zod';
import { AppError } from '../../domain/common/error.ts';
import { formatMicroUsd, type MicroUsdText, parseUsd } from '../../domain/common/money.ts';
import { HOUR_MS } from '../../domain/common/time.ts';
import { SEALED_SALT, type SealedReserve } from '../../domain/escrow/negotiation.ts';
import { Funding, WORK_LIMITS } from '../../domain/escrow/work.ts';
import type { NewBid, NewRequest } from '../../domain/escrow/work-board.ts';

/** Largest budget of one request, in dollars. */
export const BUDGET_USD_MAX = '1000000';
/** Default lifetime of an open request, in hours. */
export const OPEN_HOURS = 24 * 7;
/** Default time limit of a job, in hours. */
export const FULFIL_HOURS = 72;

const MIME_CHARS_MAX = 100;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, '0x and 40 hex digits');
const Hours = z.int().min(1).max(WORK_LIMITS.hoursMax);
/** Rejects unpaired surrogates: they have no UTF-8 form, so signed and stored text would differ. */
const NO_LONE_SURROGATES = /^\P{Surrogate}*$/u;
const Text = (max: number) =>
  z.string().min(1).max(max).regex(NO_LONE_SURROGATES, 'text without unpaired surrogates');
const Signature = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){64,2048}$/, '0x and the hex of 64 to 2048 bytes');
const Mime = z
  .string()
  .max(MIME_CHARS_MAX)
  .regex(/^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/, 'such as text/plain; charset=utf-8');

/** Body of `POST /a2a/requests`. */
export const RequestOrder = z.strictObject({
  capability_id: Text(WORK_LIMITS.capabilityCharsMax),
  task_description: Text(WORK_LIMITS.taskCharsMax),
  budget_usd: z.string(),
  funding: Funding,
  provider: Address.optional(),
  open_hours: Hours.default(OPEN_HOURS),
  fulfil_hours: Hours.default(FULFIL_HOURS),
});

/** Body of `POST /a2a/requests/{id}/bids`. */
export const BidOrder = z.strictObject({
  price_usd: z.string(),
  note: z
    .string()
    .max(WORK_LIMITS.noteCharsMax)
    .regex(NO_LONE_SURROGATES, 'text without unpaired surrogates')
    .default(''),
  /**
   * The lowest price the bidder accepts, in dollars. Only a shadow control records it; nothing acts
   * on it.
   */
  sealed: z
    .strictObject({
      reserve_usd: z.string(),
      salt: z.string().regex(SEALED_SALT, '32 to 128 letters of A-Z, a-z, 0-9, _ and -'),
    })
    .optional(),
});

/** Body of `POST /a2a/jobs/{id}/fulfil`. */
export const FulfilOrder = z.strictObject({
  text: z.string().optional(),
  deliverable_base64: z.string().regex(BASE64, 'standard base64').optional(),
  mime_type: Mime.optional(),
  move_signature: Signature.optional(),
});

/** Body of the moves that need only the contract's signature. */
export const MoveOrder = z.strictObject({ move_signature: Signature.optional() });

/** Body of `POST /a2a/jobs/{id}/dispute`. */
export const DisputeOrder = z.strictObject({
  reason: Text(WORK_LIMITS.reasonCharsMax),
  move_signature: Signature.optional(),
});

/** Body of `POST /a2a/jobs/{id}/decide`. */
export const Verdict = z.strictObject({
  upheld: z.enum(['provider', 'buyer']),
  why: Text(WORK_LIMITS.reasonCharsMax),
});

/** Body of the moves that need no input. */
export const NoOrder = z.strictObject({});

/** Converts the body of a request to the board's input. */
export function toNewRequest(order: z.infer<typeof RequestOrder>): NewRequest {
  const { provider } = order;
  return {
    capabilityId: order.capability_id,
    taskDescription: order.task_description,
    budgetMicroUsd: readUsd('budget_usd', order.budget_usd),
    funding: order.funding,
    ...(provider === undefined ? {} : { provider: provider.toLowerCase() }),
    openMs: order.open_hours * HOUR_MS,
    fulfilMs: order.fulfil_hours * HOUR_MS,
  };
}

/**
 * Converts the body of a bid to the board's input.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
export function toNewBid({ price_usd: price, note, sealed }: z.infer<typeof BidOrder>): NewBid {
  const bid = { priceMicroUsd: readUsd('price_usd', price), note };
  if (sealed === undefined) return bid;
  const reserve = readUsd('sealed.reserve_usd', sealed.reserve_usd);
  if (BigInt(reserve) > BigInt(bid.priceMicroUsd)) {
    throw new AppError('INPUT_INVALID', {
      message: 'The body is invalid at "sealed.reserve_usd": it is above the bid price.',
      data: { received: sealed.reserve_usd, path: 'sealed.reserve_usd', allowed: { up_to: price } },
    });
  }
  return {
    ...bid,
    sealed: { reserveMicroUsd: reserve, salt: sealed.salt } satisfies SealedReserve,
  };
}

/**
 * Parses an amount in dollars.
 *
 * @throws {AppError} `INPUT_INVALID`
 */
function readUsd(path: string, usd: string): MicroUsdText {
  const allowed = `a decimal string from 0.000001 to ${BUDGET_USD_MAX}, such as "25.00"`;
  const invalidAmount = () =>
    new AppError('INPUT_INVALID', {
      message: `The body is invalid at "${path}": it must be ${allowed}.`,
      data: { received: usd.slice(0, 40), path, allowed },
    });
  if (!/^\d{1,7}(\.\d{1,6})?$/.test(usd)) throw invalidAmount();
  const amount = parseUsd(usd);
  if (amount <= 0n || amount > parseUsd(BUDGET_USD_MAX)) throw invalidAmount();
  return formatMicroUsd(amount);
}

/**
 * Returns the bytes of a deliverable and their media type.
 *
 * @throws {AppError} `INPUT_INVALID` for no deliverable, two of them, or an invalid size.
 */
export function readDeliverable(order: z.infer<typeof FulfilOrder>): {
  readonly deliverable: Uint8Array;
  readonly mimeType: string;
} {
  const { text, deliverable_base64: encoded, mime_type: mimeType } = order;
  if ((text === undefined) === (encoded === undefined)) {
    throw new AppError('INPUT_INVALID', {
      message: 'The body must have either text or deliverable_base64.',
      data: {
        received: text === undefined ? 'neither' : 'both',
        allowed: ['text', 'deliverable_base64'],
      },
    });
  }
  const deliverable = encoded === undefined ? Buffer.from(text ?? '') : decodeBase64(encoded);
  const { length } = deliverable;
  if (length === 0 || length > WORK_LIMITS.deliverableBytesMax) {
    throw new AppError('INPUT_INVALID', {
      message: `A deliverable must have 1 to ${WORK_LIMITS.deliverableBytesMax} bytes.`,
      data: { received: length, allowed: `1 to ${WORK_LIMITS.deliverableBytesMax}` },
    });
  }
  const defaultType =
    encoded === undefined ? 'text/plain; charset=utf-8' : 'application/octet-stream';
  return { deliverable, mimeType: mimeType ?? defaultType };
}

function decodeBase64(encoded: string): Buffer {
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') === encoded) return bytes;
  throw new AppError('INPUT_INVALID', {
    message: 'deliverable_base64 is not standard base64 with padding.',
    data: {
      received: encoded.slice(0, 40),
      path: 'deliverable_base64',
      allowed: 'standard base64 with padding',
    },
  });
}
