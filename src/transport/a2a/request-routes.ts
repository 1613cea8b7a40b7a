import type { FrontRoute } from '../front/front-route.ts';
import { json } from '../proof/ask.ts';
import { readBody } from './ask.ts';
import type { BoardParts, Serve } from './board-call.ts';
import { BidOrder, NoOrder, newBid, newRequest, RequestOrder } from './orders.ts';
import { readPage } from './page.ts';
import { payableReply } from './pay.ts';

const REQUESTS = '/a2a/requests';
const REQUEST = `${REQUESTS}/`;
const BID = '/a2a/bids/';
/** Largest body of a request: its text in escaped UTF-8, and the other fields. */
const REQUEST_BYTES_MAX = 65_536;
const SMALL_BYTES_MAX = 8_192;

/** Creates the routes of requests and bids. */
export function requestRoutes(parts: BoardParts, serve: Serve): readonly FrontRoute[] {
  const { board } = parts;
  const move = { method: 'POST', bodyBytesMax: SMALL_BYTES_MAX } as const;
  return [
    serve({ method: 'POST', path: REQUESTS, bodyBytesMax: REQUEST_BYTES_MAX }, async (call) => {
      const by = await call.by();
      const order = newRequest(readBody(call.request, call.body, RequestOrder));
      return json(201, await board.post(order, by));
    }),
    serve(
      {
        method: 'GET',
        path: `${REQUEST}open`,
        wishes: ['capability_id', 'cursor', 'limit'],
      },
      async ({ wishes }) => {
        const { capability_id: capabilityId } = wishes;
        const wanted = capabilityId === undefined ? {} : { capabilityId };
        const { rows, cursor } = await board.open({ ...wanted, ...readPage(wishes) });
        return json(200, { requests: rows, cursor });
      },
    ),
    serve({ method: 'GET', path: REQUEST }, async ({ id }) => json(200, await board.request(id))),
    serve({ ...move, path: REQUEST, suffix: '/bids' }, async (call) => {
      const by = await call.by();
      const bid = newBid(readBody(call.request, call.body, BidOrder));
      return json(201, await board.bid(call.id, bid, by));
    }),
    serve({ ...move, path: REQUEST, suffix: '/withdraw' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return json(200, await board.withdraw(call.id, by));
    }),
    serve({ ...move, path: REQUEST, suffix: '/begin' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return payableReply(parts, call, (payment) => board.begin(call.id, payment, by));
    }),
    serve({ ...move, path: BID, suffix: '/accept' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return payableReply(parts, call, (payment) => board.accept(call.id, payment, by));
    }),
    serve({ ...move, path: BID, suffix: '/withdraw' }, async (call) => {
      const by = await call.by();
      readBody(call.request, call.body, NoOrder);
      return json(200, await board.withdrawBid(call.id, by));
    }),
  ];
}
