import type { JsonObject } from '../common/json.ts';
import type { MicroUsdLiteral } from '../common/money.ts';

/** An HTTP endpoint outside of the MCP tools. */
export interface HttpService {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  /** Parts in braces are placeholders. */
  readonly path: string;
  readonly about: string;
  /** JSON Schema of the body. */
  readonly input?: JsonObject;
  readonly price: MicroUsdLiteral | 'free';
  /** How the caller authenticates. */
  readonly proof: 'none' | 'payment' | 'wallet_signature';
}

/** All possible HTTP services. A manifest lists those that are served. */
export const HTTP_SERVICES: readonly HttpService[] = [
  freeRead(
    'passport',
    '/a2a/passport/{name}',
    'Get the passport of an agent by name or ERC-8004 id.',
  ),
  freeRead('passports', '/a2a/passports', 'List passports, newest first.'),
  freeRead('settlement_proof', '/v1/proofs/settlement/{ref}', 'Get rail, proof tier and anchor.'),
  freeRead('proof_file', '/v1/proofs/{seq}.json', 'Get a proof that verifies without this server.'),
  freeRead(
    'proof_checkpoint',
    '/v1/proofs/checkpoint',
    'Get the latest signed checkpoint of the log.',
  ),
  freeRead(
    'treasury_balances',
    '/a2a/treasury/balances',
    'Get live on-chain balances and solvency.',
  ),
  freeRead('controls', '/a2a/controls', 'List controls with their labels and limits.'),
  freeRead('open_requests', '/a2a/requests/open', 'List work board requests that accept bids.'),
  freeRead('jobs', '/a2a/jobs', 'List jobs with release blocks and possible actions.'),
  freeRead('delegation', '/a2a/delegations/{id}', 'Get a delegation chain and its verdict.'),
  freeRead('events', '/v1/events', 'Get the public events that reputation is computed from.'),
  freeRead('priced_services', '/v1/services', 'List priced HTTP services.'),
  signedPost('post_request', '/a2a/requests', 'Post a request with a budget.'),
  signedPost('bid', '/a2a/requests/{id}/bids', 'Bid on a request.'),
  signedPost('accept_bid', '/a2a/bids/{id}/accept', 'Accept a bid and start its job.'),
  signedPost('fulfil_job', '/a2a/jobs/{id}/fulfil', 'Submit a deliverable.'),
  signedPost('complete_job', '/a2a/jobs/{id}/complete', 'Complete a job and release its funds.'),
  signedPost('mint_passport', '/a2a/passports', 'Mint a passport. The operator pays the gas.'),
  signedPost('delegate', '/a2a/delegations', 'Grant a delegation.'),
  signedPost('webhook', '/a2a/webhooks', 'Register a webhook for job and alert events.'),
  {
    name: 'trust_check',
    method: 'POST',
    path: '/v1/services/trust-check',
    about: 'Get settlement record and badge of an agent in one signed response.',
    input: {
      type: 'object',
      properties: { subject: { type: 'string', description: 'Name or ERC-8004 id of the agent.' } },
      required: ['subject'],
    },
    price: '20000',
    proof: 'payment',
  },
];

function freeRead(name: string, path: string, about: string): HttpService {
  return { name, method: 'GET', path, about, price: 'free', proof: 'none' };
}

function signedPost(name: string, path: string, about: string): HttpService {
  return { name, method: 'POST', path, about, price: 'free', proof: 'wallet_signature' };
}

/** Returns the part of a path before its first placeholder. */
export function pathPrefix(path: string): string {
  return path.split('{')[0] ?? path;
}
