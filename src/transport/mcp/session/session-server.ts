import type { HttpExchange, HttpRoute } from '../../http/host.ts';
import { rateReply } from '../call/rate-limiter.ts';
import { McpEndpoint } from '../endpoint.ts';
import type { EndpointCore } from '../endpoint-core.ts';
import { boundsReply } from '../json-bounds.ts';
import type { SdkEndpoint } from '../sdk/sdk-endpoint.ts';

/** Returns handlers for the versions with sessions, for an unparsed and for a parsed body. */
export function createSessionHandlers(core: EndpointCore, Sdk: typeof SdkEndpoint | undefined) {
  if (Sdk !== undefined) {
    const sdk = new Sdk(core);
    return {
      whole: (exchange: HttpExchange) => sdk.handle(exchange),
      parsed: (exchange: HttpExchange, value: unknown) => sdk.handle(exchange, { value }),
    };
  }
  const lean = new McpEndpoint(core);
  return {
    whole: (exchange: HttpExchange): void => lean.handle(exchange),
    parsed: (exchange: HttpExchange, value: unknown): void => lean.handleBody(exchange, value),
  };
}

/** Wraps a handler to reject bodies that are too complex, and large bodies that come too often. */
export function limitBodies(core: EndpointCore, handle: HttpRoute['handle']): HttpRoute['handle'] {
  return (exchange) => {
    const { request, body } = exchange;
    const refused = core.gate.countBody(core.principalOf(request), body.byteLength);
    if (refused !== undefined) return exchange.reply(rateReply(null, refused));
    const refusal = boundsReply(body);
    if (refusal === undefined) return handle(exchange);
    return exchange.reply(refusal);
  };
}
