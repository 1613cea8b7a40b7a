import { compressReply } from '../http/compress-reply.ts';
import type { HttpExchange, HttpReply, HttpRequest, HttpRoute } from '../http/host.ts';

/** A route of the front beside MCP. */
export interface FrontRoute extends HttpRoute {
  /**
   * Who may call the route. `operator` requires the operator token; `own_page` requires an `Origin`
   * of this server. Both reject forwarding headers of unlisted proxies. `local` equals `operator`,
   * but is open to this machine. `token` also accepts tokens that the operator has issued.
   * `console` requires a console session or the operator token.
   */
  readonly access: 'open' | 'operator' | 'own_page' | 'local' | 'token' | 'console';
  /** Ends streams of this route when the front closes. */
  end?(): void;
}

/** Access levels without a credential, whose long replies may be compressed. */
const UNAUTHENTICATED: readonly FrontRoute['access'][] = ['open', 'local'];

/**
 * Creates a route with whole replies; GET also answers HEAD. Long texts are compressed, unless the
 * route requires a token or a cookie. Such replies may mix secrets with third-party text, and their
 * compressed size could reveal the secrets.
 */
export function plainRoute(
  route: Omit<FrontRoute, 'handle'>,
  answer: (request: HttpRequest, body: Buffer) => HttpReply | Promise<HttpReply>,
): FrontRoute {
  const methods = route.methods.includes('GET') ? [...route.methods, 'HEAD'] : route.methods;
  const handle = async (exchange: HttpExchange): Promise<void> => {
    const { request, body } = exchange;
    const reply = await answer(request, body);
    exchange.reply(
      UNAUTHENTICATED.includes(route.access) ? await compressReply(reply, request) : reply,
    );
  };
  return { ...route, methods, handle };
}
