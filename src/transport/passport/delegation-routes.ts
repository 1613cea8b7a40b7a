import { z } from 'zod';
import type { DelegationRegistry } from '../../actors/passport/delegations.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { Delegation, DelegationId } from '../../domain/passport/delegation.ts';
import { RevokeOrder } from '../../domain/passport/order.ts';
import { Wallet } from '../../domain/passport/passport.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { jsonReply } from '../proof/replies.ts';
import { NETWORK_RATE, PASSPORT_RATES } from './passport-routes.ts';
import {
  createNetworkLimiter,
  createRatedRoutes,
  readBody,
  readParams,
  readPath,
  signedRequest,
} from './read-request.ts';

/** The base path of delegations. */
export const DELEGATIONS_PATH = '/a2a/delegations';

const BODY_BYTES_MAX = 16_384;
const Grant = z.strictObject({
  delegation: Delegation,
  signature: z.string().regex(/^0x([0-9a-fA-F]{2}){1,2048}$/),
});

/** The dependencies of the delegation routes. */
export interface DelegationService {
  readonly delegations: Pick<
    DelegationRegistry,
    'grant' | 'revoke' | 'verifyChain' | 'listByWallet'
  >;
  readonly walletAuth: WalletAuth;
  readonly clock: Clock;
}

/** Creates the routes of delegations. Anyone may submit one that its delegator has signed. */
export function delegationRoutes(service: DelegationService): readonly FrontRoute[] {
  const { delegations, walletAuth, clock } = service;
  const read = createRatedRoutes(PASSPORT_RATES.reads, clock);
  const change = createRatedRoutes(PASSPORT_RATES.changes, clock);
  const all = { path: DELEGATIONS_PATH };
  const one = { path: `${DELEGATIONS_PATH}/`, isPrefix: true };
  const bodyBytesMax = BODY_BYTES_MAX;
  const gate = createNetworkLimiter(NETWORK_RATE, clock);
  return [
    read({ methods: ['GET'], ...all }, async ({ query }) => {
      const wallet = readWallet(readParams(query, ['wallet']).wallet);
      return jsonReply(200, { wallet, delegations: await delegations.listByWallet(wallet) });
    }),
    read({ methods: ['GET'], ...one }, async ({ path, query }) => {
      readParams(query, ['src']);
      const [written = '', ...rest] = readPath(path, one.path);
      if (rest.length > 0) throw unknown(path);
      return jsonReply(200, await delegations.verifyChain(readId(written)));
    }),
    change({ methods: ['POST'], ...all, bodyBytesMax }, async ({ query, remoteAddress }, body) => {
      readParams(query, ['src']);
      const { delegation, signature } = readBody(Grant, body);
      gate(remoteAddress);
      return jsonReply(201, await delegations.grant(delegation, signature));
    }),
    change({ methods: ['POST'], ...one, bodyBytesMax }, async (request, body) => {
      const [written = '', move, ...rest] = readPath(request.path, one.path);
      if (move !== 'revoke' || rest.length > 0) throw unknown(request.path);
      const id = readId(written);
      const by = await walletAuth.prove(signedRequest(request, body));
      const { reason } = readBody(RevokeOrder, body);
      return jsonReply(200, await delegations.revoke(id, reason, by));
    }),
  ];
}

function readId(text: string): string {
  if (DelegationId.safeParse(text).success) return text;
  throw unknown(text);
}

function readWallet(text: string | undefined): string {
  const parsed = Wallet.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new AppError('INPUT_INVALID', {
    message: 'The query must be wallet=0x… with 40 hex digits.',
    data: { received: text?.slice(0, 200) ?? null, allowed: 'wallet=0x…' },
  });
}

function unknown(received: string): AppError {
  return new AppError('DELEGATION_UNKNOWN', {
    data: { received: received.slice(0, 200), allowed: `${DELEGATIONS_PATH}/dlg_<64 hex digits>` },
  });
}
