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
  read('passport', '/a2a/passport/{name}', 'Get the passport of an agent by name or ERC-8004 id.'),
  read('passports', '/a2a/passports', 'List passports, newest first.'),
  read('settlement_proof', '/v1/proofs/settlement/{ref}', 'Get rail, proof tier and anchor.'),
  read('proof_file', '/v1/proofs/{seq}.json', 'Get a proof that verifies without this server.'),
  read('proof_checkpoint', '/v1/proofs/checkpoint', 'Get the latest signed checkpoint of the log.'),
  read('treasury_balances', '/a2a/treasury/balances', 'Get live on-chain balances and solvency.'),
  read('controls', '/a2a/controls', 'List controls with their labels and limits.'),
  read('open_requests', '/a2a/requests/open', 'List work board requests that accept bids.'),
  read('jobs', '/a2a/jobs', 'List jobs with release blocks and possible actions.'),
  read('delegation', '/a2a/delegations/{id}', 'Get a delegation chain and its verdict.'),
  read('events', '/v1/events', 'Get the public events that reputation is computed from.'),
  read('priced_services', '/v1/services', 'List priced HTTP services.'),
  signed('post_request', '/a2a/requests', 'Post a request with a budget.'),
  signed('bid', '/a2a/requests/{id}/bids', 'Bid on a request.'),
  signed('accept_bid', '/a2a/bids/{id}/accept', 'Accept a bid and start its job.'),
  signed('fulfil_job', '/a2a/jobs/{id}/fulfil', 'Submit a deliverable.'),
  signed('complete_job', '/a2a/jobs/{id}/complete', 'Complete a job and release its funds.'),
  signed('mint_passport', '/a2a/passports', 'Mint a passport. The operator pays the gas.'),
  signed('delegate', '/a2a/delegations', 'Grant a delegation.'),
  signed('webhook', '/a2a/webhooks', 'Register a webhook for job and alert events.'),
  {
    name: 'trust_check',
    method: 'POST',
    path: '/v1/services/trust-check',
    about: 'Get settlement record and badge of an agent in one signed response.',
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
