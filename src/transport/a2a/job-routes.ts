import { AppError } from '../../domain/common/error.ts';
import type { JobView } from '../../domain/escrow/work.ts';
import { WORK_LIMITS } from '../../domain/escrow/work.ts';
import type { WalletCall } from '../../domain/escrow/work-board.ts';
import type { FrontRoute } from '../front/front-route.ts';
import type { HttpReply } from '../http/host.ts';
import { bytesReply, jsonReply } from '../proof/replies.ts';
import type { BoardCall, BoardDeps, CreateBoardRoute } from './board-call.ts';
import { DisputeOrder, FulfilOrder, MoveOrder, readDeliverable, Verdict } from './orders.ts';
import { readPage } from './page.ts';
import { payableReply } from './payable-reply.ts';
import { readBody } from './read-request.ts';

const JOBS = '/a2a/jobs';
const JOB = `${JOBS}/`;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SMALL_BYTES_MAX = 16_384;
/** Largest body: a deliverable in base64, and the other fields. */
const FULFIL_BYTES_MAX = Math.ceil(WORK_LIMITS.deliverableBytesMax / 3) * 4 + SMALL_BYTES_MAX;
/** Headers that stop a browser from rendering a party's deliverable as a page of this server. */
const INERT_HEADERS = [
  'content-disposition',
  'attachment',
  'content-security-policy',
  "default-src 'none'; sandbox",
];

/** Creates the routes that list, read and change jobs. */
export function jobRoutes(parts: BoardDeps, serve: CreateBoardRoute): readonly FrontRoute[] {
  const { board } = parts;
  const move = { method: 'POST', path: JOB, bodyBytesMax: SMALL_BYTES_MAX } as const;
  const moveRoute = (
    suffix: string,
    make: (id: string, signature: string | undefined, by: WalletCall) => Promise<JobView>,
  ): FrontRoute =>
    serve({ ...move, suffix }, async (call) => {
      const by = await call.by();
      const { move_signature: signature } = readBody(call.request, call.body, MoveOrder);
      return jsonReply(200, await make(call.id, signature, by));
    });
  return [
    serve(
      { method: 'GET', path: JOBS, queryParams: ['wallet', 'cursor', 'limit'] },
      async (call) => {
        const { rows, cursor } = await board.listJobs({
          ...readWallet(call.queryParams.wallet),
          ...readPage(call.queryParams),
        });
        return jsonReply(200, { jobs: rows, cursor });
      },
    ),
    serve({ method: 'GET', path: JOB }, async ({ id }) => jsonReply(200, await board.readJob(id))),
    serve({ method: 'GET', path: JOB, suffix: '/deliverable' }, async (call) => {
      const { bytes: work, mimeType } = await board.readDeliverable(call.id, await call.by());
      const { headers = [], ...reply } = bytesReply(mimeType, work, 'no-store');
      return { ...reply, headers: [...headers, ...INERT_HEADERS] };
    }),
    serve({ ...move, suffix: '/fulfil', bodyBytesMax: FULFIL_BYTES_MAX }, async (call) => {
      const by = await call.by();
      const order = readBody(call.request, call.body, FulfilOrder);
      const work = readDeliverable(order);
      return jsonReply(200, await board.fulfil(call.id, work, order.move_signature, by));
    }),
    serve({ ...move, suffix: '/complete' }, (call) => completeJob(parts, call)),
    serve({ ...move, suffix: '/dispute' }, async (call) => {
      const by = await call.by();
      const { reason, move_signature: signature } = readBody(call.request, call.body, DisputeOrder);
      return jsonReply(200, await board.dispute(call.id, reason, signature, by));
    }),
    moveRoute('/withdraw-dispute', (...of) => board.withdrawDispute(...of)),
    moveRoute('/give-back', (...of) => board.giveBack(...of)),
    serve({ ...move, suffix: '/decide', access: 'operator' }, async ({ request, body, id }) =>
      jsonReply(200, await board.decide(id, readBody(request, body, Verdict))),
    ),
  ];
}

async function completeJob(parts: BoardDeps, call: BoardCall): Promise<HttpReply> {
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
