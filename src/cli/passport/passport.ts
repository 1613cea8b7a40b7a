import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { PassportResponse } from '../../domain/passport/passport-response.ts';
import type { Input } from '../common/usage.ts';
import type { MONEY } from '../usage/money.ts';
import { createClient, type JsonResponse, openSigner } from '../wallet/wallet-client.ts';
import { readConsent } from '../wallet/wallet-consent.ts';

/** `stoa passport mint`: mints a passport, and binds it to the wallet of `--key-file`. */
export async function mint(flags: Input<typeof MONEY.passportMint>): Promise<number> {
  const { name, class: agentClass } = flags;
  const signer = openSigner(flags['key-file'], process.env);
  const client = createClient(flags);
  const minted = await client.postSigned(
    '/a2a/passports',
    {
      name,
      agent_class: agentClass,
      operator_id: flags['operator-id'],
      description: flags.description,
      image: flags.image,
      services: flags.service.length === 0 ? undefined : flags.service.map(parseService),
      x402_support: flags.x402 || undefined,
      wallet: signer.address,
    },
    signer,
  );
  if (minted.body['typed_data'] === undefined || flags['no-bind'])
    return printAnswer(minted, flags.json);
  const consent = await readConsent(minted.body['typed_data'], signer);
  return printAnswer(await client.post(`/a2a/passports/${name}/wallet`, consent), flags.json);
}

/** `stoa passport show`: prints a passport. */
export async function show(flags: Input<typeof MONEY.passportShow>): Promise<number> {
  const path = `/a2a/passport/${encodeURIComponent(flags.subject)}`;
  const answer = await createClient(flags).get(path);
  return printAnswer({ ...answer, body: { passport: answer.body } }, flags.json, answer.body);
}

/** `stoa passport bind`: binds the wallet to a passport. */
export async function bind(flags: Input<typeof MONEY.passportBind>): Promise<number> {
  const signer = openSigner(flags['key-file'], process.env);
  const client = createClient(flags);
  const path = `/a2a/passports/${encodeURIComponent(flags.subject)}/wallet`;
  const { body } = await client.get(path);
  const consent = await readConsent(body['typed_data'], signer);
  return printAnswer(await client.post(path, consent), flags.json);
}

/** `stoa passport claim`: transfers the token of a passport to its wallet. */
export async function claim(flags: Input<typeof MONEY.passportClaim>): Promise<number> {
  const signer = openSigner(flags['key-file'], process.env);
  const path = `/a2a/passports/${encodeURIComponent(flags.subject)}/claim`;
  return printAnswer(await createClient(flags).postSigned(path, {}, signer), flags.json);
}

/** `stoa passport revoke`: revokes a passport for good. */
export async function revoke(flags: Input<typeof MONEY.passportRevoke>): Promise<number> {
  const signer = openSigner(flags['key-file'], process.env);
  const path = `/a2a/passports/${encodeURIComponent(flags.subject)}/revoke`;
  const body = { reason: flags.reason };
  return printAnswer(await createClient(flags).postSigned(path, body, signer), flags.json);
}

function parseService(text: string): { name: string; endpoint: string } {
  const [, name, endpoint] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && endpoint !== undefined) return { name, endpoint };
  throw new AppError('CONFIG_INVALID', {
    message: `--service is ${JSON.stringify(text)}; it must be NAME=URL.`,
  });
}

function printAnswer({ body }: JsonResponse, isJson: boolean, whole: object = body): number {
  const { passport: shown, next } = body;
  const view = PassportResponse.safeParse(shown);
  const text = isJson || !view.success ? JSON.stringify(whole) : formatPassport(view.data, next);
  process.stdout.write(`${text}\n`);
  return 0;
}

function formatPassport(view: PassportResponse, next: unknown): string {
  const { custody, name, status, wallet } = view;
  const state = view.revoked === null ? status : `${status}: ${view.revoked.reason}`;
  return [
    `${name} is ${view.agent_id} (${state})`,
    `class        ${view.agent_class}`,
    `operator id  ${view.operator_id}`,
    `wallet       ${wallet ?? 'none bound'}`,
    `owner        ${view.owner} (custody: ${custody})`,
    `registered   ${view.registered_at} in ${view.registration_tx}`,
    `file         ${view.erc8004.agent_uri}`,
    ...(isObject(next) || typeof next !== 'string' ? [] : [next]),
  ].join('\n');
}
