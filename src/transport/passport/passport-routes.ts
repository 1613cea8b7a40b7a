import type { PassportDirectory } from '../../actors/passport/directory.ts';
import type { PassportDocuments } from '../../actors/passport/documents.ts';
import type { MintResult, PassportRegistrar } from '../../actors/passport/registrar.ts';
import type { Clock } from '../../domain/common/clock.ts';
import { AppError } from '../../domain/common/error.ts';
import { PassportOrder, RevokeOrder, WalletConsent } from '../../domain/passport/order.ts';
import { AgentName } from '../../domain/passport/passport.ts';
import { unknownAgentError } from '../../domain/passport/unknown-agent.ts';
import type { WalletAuth } from '../../domain/wallet/wallet-auth.ts';
import type { FrontRoute } from '../front/front-route.ts';
import { headerOf } from '../http/headers.ts';
import type { HttpReply, HttpRequest } from '../http/host.ts';
import { jsonReply, readCount } from '../proof/replies.ts';
import { passportPage, unregisteredPage, wantsPage } from './passport-page.ts';
import {
  createNetworkLimiter,
  createRatedRoutes,
  type RouteHandler,
  readBody,
  readParams,
  readPath,
  signedRequest,
} from './read-request.ts';

/** The path of one passport. */
export const PASSPORT_PATH = '/a2a/passport/';
/** The path where passports are listed and changed. */
export const PASSPORTS_PATH = '/a2a/passports';
/** Read and change limits per network. */
export const PASSPORT_RATES = {
  reads: { burst: 200, perMinute: 600 },
  changes: { burst: 30, perMinute: 60 },
} as const;

/**
 * Limit on passports and delegations per network: a burst of 25, plus 25 spread over a day, so at
 * most 50 in a day.
 */
export const NETWORK_RATE = { burst: 25, perMinute: 25 / (24 * 60) } as const;

const BODY_BYTES_MAX = 8_192;
const LISTED = { default: 20, max: 50 } as const;

/** The dependencies of the passport routes. */
export interface PassportService {
  readonly documents: Pick<PassportDocuments, 'document' | 'registration'>;
  readonly directory: Pick<PassportDirectory, 'list'>;
  readonly registrar: Pick<
    PassportRegistrar,
    'mint' | 'walletRequest' | 'bind' | 'claim' | 'revoke'
  >;
  readonly walletAuth: WalletAuth;
  /** The name of the service's own passport, or `undefined` if it is not registered here. */
  ownName(): string | undefined;
  readonly clock: Clock;
}

/** Creates the routes of passports. Reads are free and open; the agent's wallet signs changes. */
export function passportRoutes(service: PassportService): readonly FrontRoute[] {
  const read = createRatedRoutes(PASSPORT_RATES.reads, service.clock);
  const change = createRatedRoutes(PASSPORT_RATES.changes, service.clock);
  const below = { path: `${PASSPORTS_PATH}/`, isPrefix: true } as const;
  return [
    read({ methods: ['GET'], path: PASSPORT_PATH, isPrefix: true }, (request) =>
      showPassport(service, request),
    ),
    read({ methods: ['GET'], path: PASSPORTS_PATH }, (request) => listPassports(service, request)),
    read({ methods: ['GET'], ...below }, (request) => walletRequest(service, request)),
    read({ methods: ['GET'], path: '/.well-known/agent-registration.json' }, () =>
      ownRegistration(service),
    ),
    change(
      { methods: ['POST'], path: PASSPORTS_PATH, bodyBytesMax: BODY_BYTES_MAX },
      mintHandler(service),
    ),
    change({ methods: ['POST'], ...below, bodyBytesMax: BODY_BYTES_MAX }, moveHandler(service)),
  ];
}

async function showPassport(service: PassportService, request: HttpRequest): Promise<HttpReply> {
  readParams(request.query, ['src']);
  const [subject = '', file, ...rest] = readPath(request.path, PASSPORT_PATH);
  if (rest.length > 0 || (file !== undefined && file !== 'registration.json')) {
    throw unknownPath(request, [`${PASSPORT_PATH}{name or id}`, '…/registration.json']);
  }
  const isPage = file === undefined && wantsPage(headerOf(request, 'accept'));
  const { documents } = service;
  if (file !== undefined) {
    const found = await documents.registration(subject);
    if (found === undefined) throw unknownAgentError(subject);
    return jsonReply(200, found);
  }
  const passport = await documents.document(subject);
  if (isPage) return passport === undefined ? unregisteredPage(subject) : passportPage(passport);
  if (passport === undefined) throw unknownAgentError(subject);
  const { headers = [], ...reply } = jsonReply(200, passport);
  return { ...reply, headers: [...headers, 'vary', 'accept'] };
}

async function listPassports({ directory }: PassportService, { query }: HttpRequest) {
  const { cursor, limit: asked } = readParams(query, ['cursor', 'limit']);
  const limit = asked === undefined ? LISTED.default : readCount('limit', asked, LISTED.max);
  if (cursor !== undefined) readName(cursor);
  const page = await directory.list({
    limit: Math.max(1, limit),
    ...(cursor === undefined ? {} : { cursor }),
  });
  return jsonReply(200, { passports: page.rows, cursor: page.cursor });
}

async function walletRequest(service: PassportService, request: HttpRequest): Promise<HttpReply> {
  readParams(request.query, ['src']);
  const [name = '', move, ...rest] = readPath(request.path, `${PASSPORTS_PATH}/`);
  if (move !== 'wallet' || rest.length > 0) throw unknownPath(request, MOVES);
  return jsonReply(200, { typed_data: await service.registrar.walletRequest(readName(name)) });
}

async function ownRegistration({ documents, ownName }: PassportService): Promise<HttpReply> {
  const name = ownName();
  const file = name === undefined ? undefined : await documents.registration(name);
  if (file !== undefined) return jsonReply(200, file);
  throw new AppError('PASSPORT_UNKNOWN', {
    message: 'This service has no passport of its own yet.',
    data: { received: name ?? null },
  });
}

function mintHandler({ registrar, walletAuth, clock }: PassportService): RouteHandler {
  const gate = createNetworkLimiter(NETWORK_RATE, clock);
  return async (request, body) => {
    const by = await walletAuth.prove(signedRequest(request, body));
    const order = readBody(PassportOrder, body);
    gate(request.remoteAddress);
    const registered = await registrar.mint(order, by);
    if (registered.view === undefined) {
      return jsonReply(202, {
        status: 'minting',
        name: order.name,
        next: `The chain has not confirmed it yet. Check with GET ${PASSPORT_PATH}${order.name}.`,
      });
    }
    return jsonReply(201, await mintedReply(registrar, registered));
  };
}

async function mintedReply(
  registrar: PassportService['registrar'],
  { state, view }: Extract<MintResult, { view: object }>,
) {
  const isBound = view.wallet !== null;
  const shared = { status: 'minted', passport: view, wallet_bound: isBound };
  if (isBound || state !== 'custodial') return shared;
  return {
    ...shared,
    typed_data: await registrar.walletRequest(view.name),
    next:
      `Sign typed_data with the wallet, and POST {deadline, signature} to ` +
      `${PASSPORTS_PATH}/${view.name}/wallet within 5 minutes; a GET there returns a new one.`,
  };
}

const MOVES = ['wallet', 'claim', 'revoke'].map((move) => `${PASSPORTS_PATH}/{name}/${move}`);

function moveHandler({ registrar, walletAuth }: PassportService): RouteHandler {
  return async (request, body) => {
    const [written = '', move, ...rest] = readPath(request.path, `${PASSPORTS_PATH}/`);
    const name = readName(written);
    if (rest.length > 0) throw unknownPath(request, MOVES);
    if (move === 'wallet') {
      readParams(request.query, ['src']);
      const { view } = await registrar.bind(name, readBody(WalletConsent, body));
      return jsonReply(200, { passport: view, wallet_bound: view.wallet !== null });
    }
    if (move === 'claim') {
      const by = await walletAuth.prove(signedRequest(request, body));
      const { view } = await registrar.claim(name, by);
      return jsonReply(200, { passport: view, wallet_bound: view.wallet !== null, next: REBIND });
    }
    if (move === 'revoke') {
      const by = await walletAuth.prove(signedRequest(request, body));
      const { reason } = readBody(RevokeOrder, body);
      return jsonReply(200, { passport: (await registrar.revoke(name, reason, by)).view });
    }
    throw unknownPath(request, MOVES);
  };
}

const REBIND =
  'The owner now holds the token. The standard clears the wallet on transfer: to bind one ' +
  'again, the owner must send setAgentWallet to the registry, signed by that wallet.';

function readName(text: string): string {
  const parsed = AgentName.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new AppError('INPUT_INVALID', {
    message: 'A name must have 3 to 64 of a-z, 0-9, dot and hyphen, and start with a letter.',
    data: { received: text.slice(0, 200), allowed: '[a-z][a-z0-9.-]{1,62}[a-z0-9]' },
  });
}

function unknownPath({ path }: HttpRequest, allowed: readonly string[]): AppError {
  return new AppError('PASSPORT_UNKNOWN', {
    message: 'This path names no part of a passport.',
    data: { received: path.slice(0, 200), allowed },
  });
}
