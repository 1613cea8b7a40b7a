import type { JsonObject } from '../../domain/common/json.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import type { CreateBoardRoute } from './board-call.ts';

/** Returns the payloads of a reference's proof records, for a party to them. */
export type OpenRecords = (ref: string, wallet: string) => JsonObject;

/** Creates the signed `GET /a2a/records/{ref}`: the proof records of a job, a payment or a seal. */
export function recordRoutes(open: OpenRecords, serve: CreateBoardRoute): readonly FrontRoute[] {
  return [
    serve({ method: 'GET', path: '/a2a/records/' }, async (call) => {
      const { wallet } = await call.by();
      return jsonReply(200, open(call.id, wallet));
    }),
  ];
}
