import { AppError } from '../../domain/common/error.ts';
import type { JobView } from '../../domain/escrow/work.ts';
import { WORK } from '../../domain/escrow/work.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import type { FrontRoute } from '../front/front-route.ts';
import type { HttpReply } from '../http/host.ts';
import { bytes, json } from '../proof/ask.ts';
import { readBody } from './ask.ts';
import type { BoardCall, BoardParts, Serve } from './board-call.ts';
import { DisputeOrder, FulfilOrder, MoveOrder, readDeliverable, Verdict } from './orders.ts';
import { readPage } from './page.ts';
import { payableReply } from './pay.ts';

const JOBS = '/a2a/jobs';
const JOB = `${JOBS}/`;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SMALL_BYTES_MAX = 16_384;
/** Largest body: a deliverable in base64, and the other fields. */
const FULFIL_BYTES_MAX = Math.ceil(WORK.deliverableBytesMax / 3) * 4 + SMALL_BYTES_MAX;
/** Headers that stop a browser from rendering a party's deliverable as a page of this server. */
const INERT = [
  'content-disposition',
  'attachment',
  'content-security-policy',
  "default-src 'none'; sandbox",
];

/** Creates the routes that list, read and change jobs. */
export function jobRoutes(parts: BoardParts, serve: Serve): readonly FrontRoute[] {
  const { board } = parts;
  const move = { method: 'POST', path: JOB, bodyBytesMax: SMALL_BYTES_MAX } as const;
  const plainMove = (
    suffix: string,
    make: (id: string, signature: string | undefined, by: WalletCall) => Promise<JobView>,
  ): FrontRoute =>
    serve({ ...move, suffix }, async (call) => {
      const by = await call.by();
      const { move_signature: signature } = readBody(call.request, call.body, MoveOrder);
      return json(200, await make(call.id, signature, by));
    });
  return [
    serve({ method: 'GET', path: JOBS, wishes: ['wallet', 'cursor', 'limit'] }, async (call) => {
      const { rows, cursor } = await board.jobs({
        ...readWallet(call.wishes.wallet),
        ...readPage(call.wishes),
      });
      return json(200, { jobs: rows, cursor });
    }),
    serve({ method: 'GET', path: JOB }, async ({ id }) => json(200, await board.job(id))),
    serve({ method: 'GET', path: JOB, suffix: '/deliverable' }, async (call) => {
      const { bytes: work, mimeType } = await board.deliverable(call.id, await call.by());
      const { headers = [], ...reply } = bytes(mimeType, work, 'no-store');
      return { ...reply, headers: [...headers, ...INERT] };
    }),
    serve({ ...move, suffix: '/fulfil', bodyBytesMax: FULFIL_BYTES_MAX }, async (call) => {
      const by = await call.by();
      const order = readBody(call.request, call.body, FulfilOrder);
      const work = readDeliverable(order);
      return json(200, await board.fulfil(call.id, work, order.move_signature, by));
    }),
    serve({ ...move, suffix: '/complete' }, (call) => complete(parts, call)),
    serve({ ...move, suffix: '/dispute' }, async (call) => {
      const by = await call.by();
      const { reason, move_signature: signature } = readBody(call.request, call.body, DisputeOrder);
      return json(200, await board.dispute(call.id, reason, signature, by));
    }),
    plainMove('/withdraw-dispute', (...of) => board.withdrawDispute(...of)),
    plainMove('/give-back', (...of) => board.giveBack(...of)),
    serve({ ...move, suffix: '/decide', access: 'operator' }, async ({ request, body, id }) =>
      json(200, await board.decide(id, readBody(request, body, Verdict))),
    ),
  ];
}

async function complete(parts: BoardParts, call: BoardCall): Promise<HttpReply> {
  const by = await call.by();
  const { move_signature: signature } = readBody(call.request, call.body, MoveOrder);
  const signed = signature === undefined ? {} : { moveSignature: signature };
  return payableReply(parts, call, (payment) => {
    const paid = payment === undefined ? {} : { payment };
    return parts.board.complete(call.id, { ...signed, ...paid }, by);
  });
}

function readWallet(wallet: string | undefined): { readonly wallet?: string } {
  if (wallet === undefined) return {};
  if (ADDRESS.test(wallet)) return { wallet: wallet.toLowerCase() };
  throw new AppError('INPUT_INVALID', {
    message: '`wallet` must be 0x and 40 hex digits.',
    data: { received: wallet.slice(0, 80), allowed: '0x and 40 hex digits' },
  });
}
