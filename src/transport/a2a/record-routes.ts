import type { JsonObject } from '../../domain/common/json.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { json } from '../proof/ask.ts';
import type { Serve } from './board-call.ts';

/** Returns the payloads of a reference's proof records, for a party to them. */
export type OpenRecords = (ref: string, wallet: string) => JsonObject;

/** Creates the signed `GET /a2a/records/{ref}`: the proof records of a job, a payment or a seal. */
export function recordRoutes(open: OpenRecords, serve: Serve): readonly FrontRoute[] {
  return [
    serve({ method: 'GET', path: '/a2a/records/' }, async (call) => {
      const { wallet } = await call.by();
      return json(200, open(call.id, wallet));
    }),
  ];
}
