import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import type { BoardDeps, CreateBoardRoute } from './board-call.ts';
import { BidOrder, NoOrder, RequestOrder, toNewBid, toNewRequest } from './orders.ts';
import { readPage } from './page.ts';
import { payableReply } from './payable-reply.ts';
import { readBody } from './read-request.ts';

const REQUESTS = '/a2a/requests';
const REQUEST = `${REQUESTS}/`;
const BID = '/a2a/bids/';
/** Largest body of a request: its text in escaped UTF-8, and the other fields. */
const REQUEST_BYTES_MAX = 65_536;
const SMALL_BYTES_MAX = 8_192;

/** Creates the routes of requests and bids. */
export function requestRoutes(parts: BoardDeps, serve: CreateBoardRoute): readonly FrontRoute[] {
  const { board } = parts;
  const move = { method: 'POST', bodyBytesMax: SMALL_BYTES_MAX } as const;
  return [
    serve({ method: 'POST', path: REQUESTS, bodyBytesMax: REQUEST_BYTES_MAX }, async (call) => {
      const by = await call.by();
      const order = toNewRequest(readBody(call.request, call.body, RequestOrder));
      return jsonReply(201, await board.postRequest(order, by));
    }),
    serve(
      {
        method: 'GET',
        path: `${REQUEST}open`,
        queryParams: ['capability_id', 'cursor', 'limit'],
      },
      async ({ queryParams }) => {
        const { capability_id: capabilityId } = queryParams;
        const wanted = capabilityId === undefined ? {} : { capabilityId };
        const { rows, cursor } = await board.listOpenRequests({
          ...wanted,
          ...readPage(queryParams),
        });
        return jsonReply(200, { requests: rows, cursor });
      },
    ),
    serve({ method: 'GET', path: REQUEST }, async ({ id }) =>
      jsonReply(200, await board.readRequest(id)),
    ),
    serve({ ...move, path: REQUEST, suffix: '/bids' }, async (call) => {
      const by = await call.by();
      const bid = toNewBid(readBody(call.request, call.body, BidOrder));
      return jsonReply(201, await board.placeBid(call.id, bid, by));
    }),
    serve({ ...move, path: REQUEST, suffix: '/withdraw' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return jsonReply(200, await board.withdrawRequest(call.id, by));
    }),
    serve({ ...move, path: REQUEST, suffix: '/begin' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return payableReply(parts, call, (payment) => board.startJob(call.id, payment, by));
    }),
    serve({ ...move, path: BID, suffix: '/accept' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return payableReply(parts, call, (payment) => board.acceptBid(call.id, payment, by));
    }),
    serve({ ...move, path: BID, suffix: '/withdraw' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return jsonReply(200, await board.withdrawBid(call.id, by));
    }),
  ];
}
