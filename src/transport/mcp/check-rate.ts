import type { HttpRequest } from '../http/host.ts';
import type { RateLimitRejection } from './call/rate-limiter.ts';
import type { EndpointCore } from './endpoint-core.ts';
import type { RpcMessage } from './json-rpc.ts';

/** Counts a message for the SDK against the rate limits. Returns the rejection, if any. */
export function checkRate(
  core: EndpointCore,
  request: HttpRequest,
  message: RpcMessage | undefined,
): RateLimitRejection | undefined {
  const { gate, views } = core;
  const principal = core.principalOf(request);
  const refused = gate.countRequest(principal);
  if (refused !== undefined || message?.kind !== 'request') return refused;
  const { name } = message.params;
  const isCall = message.method === 'tools/call' && typeof name === 'string';
  return isCall && views.rateLimitedTools.has(name)
    ? gate.countToolCall(principal, name)
    : undefined;
}
