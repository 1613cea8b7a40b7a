import type { WalletCall } from '../../domain/escrow/work-board.ts';
import { WebhookOrder, type WebhookView } from '../../domain/notification/webhook-view.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import { WALLET_HEADER } from '../../domain/wallet/wallet-request.ts';
import { BoardRateLimiter } from '../a2a/board-rate-limiter.ts';
import { readBody, readHeader, signedPath } from '../a2a/read-request.ts';
import { type FreeCall, type FreeRouteDeps, freeRoute } from '../alert/free-route.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';

/** The base path of webhooks. */
export const WEBHOOKS_PATH = '/a2a/webhooks';

const ORDER_BYTES_MAX = 8_192;

/** The dependencies of the webhook routes. */
export interface WebhookRouteDeps extends FreeRouteDeps {
  readonly wallets: WalletAuth;
  readonly webhooks: {
    register(
      order: WebhookOrder,
      by: WalletCall,
    ): Promise<WebhookView & { readonly secret: string }>;
    read(webhookId: string): Promise<WebhookView>;
    enable(webhookId: string, by: WalletCall): Promise<WebhookView>;
    remove(webhookId: string, by: WalletCall): Promise<WebhookView>;
  };
}

/**
 * Creates `POST /a2a/webhooks`, `GET` and `DELETE /a2a/webhooks/<id>`, and `POST
 * /a2a/webhooks/<id>/enable`. Anyone who holds the id can read the delivery status. The owner's
 * wallet must sign every change.
 */
export function webhookRoutes(parts: WebhookRouteDeps): readonly FrontRoute[] {
  const { webhooks, wallets } = parts;
  const gate = new BoardRateLimiter(parts.clock, parts.limitsLocalCallers);
  const shared = { ...parts, gate };
  const authenticate = async ({ request, body }: FreeCall): Promise<WalletCall> => {
    const header = readHeader(request, WALLET_HEADER);
    const path = signedPath(request);
    const proven = await wallets.prove({ method: request.method, path, body, header });
    gate.countWallet(proven.wallet);
    return proven;
  };
  const itemPath = `${WEBHOOKS_PATH}/`;
  const order = { method: 'POST', path: WEBHOOKS_PATH, bodyBytesMax: ORDER_BYTES_MAX } as const;
  return [
    freeRoute(shared, order, async (call) => {
      const wanted = readBody(call.request, call.body, WebhookOrder);
      return jsonReply(201, await webhooks.register(wanted, await authenticate(call)));
    }),
    freeRoute(shared, { method: 'GET', path: itemPath }, async ({ id }) =>
      jsonReply(200, await webhooks.read(id)),
    ),
    freeRoute(shared, { method: 'DELETE', path: itemPath }, async (call) =>
      jsonReply(200, await webhooks.remove(call.id, await authenticate(call))),
    ),
    freeRoute(shared, { method: 'POST', path: itemPath, suffix: '/enable' }, async (call) =>
      jsonReply(200, await webhooks.enable(call.id, await authenticate(call))),
    ),
  ];
}
