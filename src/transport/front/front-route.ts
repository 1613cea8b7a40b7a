import type { HttpExchange, HttpReply, HttpRequest, HttpRoute } from '../http/host.ts';
import { packReply } from '../http/pack-reply.ts';

/** A route of the front beside MCP. */
export interface FrontRoute extends HttpRoute {
  /**
   * `operator` asks for the token, `own_page` for an `Origin` that is this server's own; both
   * believe no unlisted proxy. `local` is as `operator`, but open to this machine itself; `token`
   * takes the tokens that the operator has made as well; `console` asks for a page that has entered
   * the console, or the operator's token.
   */
  readonly access: 'open' | 'operator' | 'own_page' | 'local' | 'token' | 'console';
  /** Ends answers of this route that would go on for ever; called when the front closes. */
  end?(): void;
}

/** What answers without a token, and so is compressed where it is long. */
const UNPROVEN: readonly FrontRoute['access'][] = ['open', 'local'];

/**
 * Makes a route whose answer is whole; GET answers HEAD too. Long texts are compressed, except
 * where a token or a cookie is needed: they may hold secrets beside what a stranger has written.
 */
export function plainRoute(
  route: Omit<FrontRoute, 'handle'>,
  answer: (request: HttpRequest, body: Buffer) => HttpReply | Promise<HttpReply>,
): FrontRoute {
  const methods = route.methods.includes('GET') ? [...route.methods, 'HEAD'] : route.methods;
  const handle = async (exchange: HttpExchange): Promise<void> => {
    const { request, body } = exchange;
    const reply = await answer(request, body);
    exchange.reply(UNPROVEN.includes(route.access) ? await packReply(reply, request) : reply);
  };
  return { ...route, methods, handle };
}
