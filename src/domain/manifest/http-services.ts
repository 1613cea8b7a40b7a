import type { MicroUsdLiteral } from '../common/money.ts';

/** An HTTP endpoint outside of the MCP tools. */
export interface HttpService {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Parts in braces are placeholders. */
  readonly path: string;
  readonly about: string;
  readonly price: MicroUsdLiteral | 'free';
  /** How the caller authenticates. */
  readonly proof: 'none' | 'payment' | 'wallet_signature';
}

/** All possible HTTP services. A manifest lists those that are served. */
export const HTTP_SERVICES: readonly HttpService[] = [
  read('passport', '/a2a/passport/{name}', 'Passport of an agent by name or ERC-8004 id.'),
  read('passports', '/a2a/passports', 'Passports, the newest first.'),
  read('settlement_proof', '/v1/proofs/settlement/{ref}', 'Rail, proof tier and anchor.'),
  read('proof_file', '/v1/proofs/{seq}.json', 'A proof that verifies without this server.'),
  read('proof_checkpoint', '/v1/proofs/checkpoint', 'The newest signed state of the log.'),
  read('treasury_balances', '/a2a/treasury/balances', 'Live balances and solvency on the chain.'),
  read('controls', '/a2a/controls', 'Controls with their labels and what they do not do.'),
  read('open_requests', '/a2a/requests/open', 'Requests on the work board that take bids.'),
  read('jobs', '/a2a/jobs', 'Jobs with their release blocks and possible moves.'),
  read('delegation', '/a2a/delegations/{id}', 'A chain of delegations with its verdict.'),
  read('events', '/v1/events', 'The public feed that reputation is computed from.'),
  read('priced_services', '/v1/services', 'Priced HTTP services.'),
  signed('post_request', '/a2a/requests', 'Posts a budgeted request.'),
  signed('bid', '/a2a/requests/{id}/bids', 'Bids for a request.'),
  signed('accept_bid', '/a2a/bids/{id}/accept', 'Begins the job of a bid.'),
  signed('fulfil_job', '/a2a/jobs/{id}/fulfil', 'Hands a deliverable in.'),
  signed('complete_job', '/a2a/jobs/{id}/complete', 'Releases a job.'),
  signed('mint_passport', '/a2a/passports', 'Mints a passport; the operator pays the gas.'),
  signed('delegate', '/a2a/delegations', 'Grants a delegation.'),
  signed('webhook', '/a2a/webhooks', 'Has events of jobs and alerts sent.'),
  {
    name: 'trust_check',
    method: 'POST',
    path: '/v1/services/trust-check',
    about: 'Settlement record and badge of an agent in one signed answer.',
    price: '20000',
    proof: 'payment',
  },
];

function read(name: string, path: string, about: string): HttpService {
  return { name, method: 'GET', path, about, price: 'free', proof: 'none' };
}

function signed(name: string, path: string, about: string): HttpService {
  return { name, method: 'POST', path, about, price: 'free', proof: 'wallet_signature' };
}

/** Returns the part of a path before its first placeholder. */
export function fixedPart(path: string): string {
  return path.split('{')[0] ?? path;
}
