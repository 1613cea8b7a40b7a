import type { HttpRoute } from '../http/host.ts';
import { rateReply } from './call/rate-limiter.ts';
import type { EndpointCore } from './endpoint-core.ts';
import { boundsReply } from './json-bounds.ts';

/** Wraps a handler to reject bodies that are too complex, and large bodies that come too often. */
export function limitBodies(
  core: Pick<EndpointCore, 'gate' | 'principalOf'>,
  handle: HttpRoute['handle'],
): HttpRoute['handle'] {
  return (exchange) => {
    const { request, body } = exchange;
    const refused = core.gate.countBody(core.principalOf(request), body.byteLength);
    if (refused !== undefined) return exchange.reply(rateReply(null, refused));
    const refusal = boundsReply(body);
    if (refusal === undefined) return handle(exchange);
    return exchange.reply(refusal);
  };
}
