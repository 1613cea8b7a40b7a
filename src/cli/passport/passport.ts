import { AppError } from '../../domain/common/error.ts';
import { isObject } from '../../domain/common/json.ts';
import { PassportResponse } from '../../domain/passport/passport-response.ts';
import { readFlags } from '../common/flags.ts';
import {
  CLIENT_FLAGS,
  createClient,
  type JsonResponse,
  openSigner,
} from '../wallet/wallet-client.ts';
import { readConsent } from '../wallet/wallet-consent.ts';

type Run = (argv: readonly string[]) => Promise<number>;

const ACTIONS: Readonly<Record<string, Run>> = { mint, show, bind, claim, revoke };

const USAGE = [
  'stoa passport mint --name <name> --class <class> [--operator-id --description --image]',
  '                   [--service NAME=URL]… [--x402] [--no-bind]',
  'stoa passport show <name, id or wallet>',
  'stoa passport bind <name> | claim <name> | revoke <name> --reason <why>',
  'each with --data <folder> or --url <server>, --key-file <file>, --json',
].join('\n');

/**
 * `stoa passport mint|show|bind|claim|revoke`: manages passports on a running server, for the
 * wallet of `STOA_WALLET_KEY` (or its `_FILE`) or of `--key-file`.
 */
export async function passport([move = '', ...rest]: readonly string[]): Promise<number> {
  const run = Object.hasOwn(ACTIONS, move) ? ACTIONS[move] : undefined;
  if (run === undefined) throw new AppError('CONFIG_INVALID', { message: `Usage:\n${USAGE}` });
  return run(rest);
}

async function mint(argv: readonly string[]): Promise<number> {
  const flags = readFlags(argv, {
    ...CLIENT_FLAGS,
    name: { type: 'string' },
    class: { type: 'string' },
    'operator-id': { type: 'string' },
    description: { type: 'string' },
    image: { type: 'string' },
    service: { type: 'string', multiple: true },
    x402: { type: 'boolean' },
    'no-bind': { type: 'boolean', default: false },
  });
  const { name, class: agentClass } = flags;
  if (name === undefined || agentClass === undefined) {
    throw new AppError('CONFIG_INVALID', { message: `--name and --class are required.\n${USAGE}` });
  }
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
      services: flags.service?.map(parseService),
      x402_support: flags.x402,
      wallet: signer.address,
    },
    signer,
  );
  if (minted.body['typed_data'] === undefined || flags['no-bind'])
    return printAnswer(minted, flags.json);
  const consent = await readConsent(minted.body['typed_data'], signer);
  return printAnswer(await client.post(`/a2a/passports/${name}/wallet`, consent), flags.json);
}

async function show(argv: readonly string[]): Promise<number> {
  const { subject, flags } = parseSubject(argv);
  const path = `/a2a/passport/${encodeURIComponent(subject)}`;
  const answer = await createClient(flags).get(path);
  return printAnswer({ ...answer, body: { passport: answer.body } }, flags.json, answer.body);
}

async function bind(argv: readonly string[]): Promise<number> {
  const { subject, flags } = parseSubject(argv);
  const signer = openSigner(flags['key-file'], process.env);
  const client = createClient(flags);
  const path = `/a2a/passports/${encodeURIComponent(subject)}/wallet`;
  const { body } = await client.get(path);
  const consent = await readConsent(body['typed_data'], signer);
  return printAnswer(await client.post(path, consent), flags.json);
}

async function claim(argv: readonly string[]): Promise<number> {
  const { subject, flags } = parseSubject(argv);
  const signer = openSigner(flags['key-file'], process.env);
  const path = `/a2a/passports/${encodeURIComponent(subject)}/claim`;
  return printAnswer(await createClient(flags).postSigned(path, {}, signer), flags.json);
}

async function revoke(argv: readonly string[]): Promise<number> {
  const { subject, flags } = parseSubject(argv);
  if (flags.reason === undefined) {
    throw new AppError('CONFIG_INVALID', { message: '--reason is missing. It will be public.' });
  }
  const signer = openSigner(flags['key-file'], process.env);
  const path = `/a2a/passports/${encodeURIComponent(subject)}/revoke`;
  const body = { reason: flags.reason };
  return printAnswer(await createClient(flags).postSigned(path, body, signer), flags.json);
}

function parseSubject(argv: readonly string[]) {
  const [subject] = argv;
  if (subject === undefined || subject.startsWith('-')) {
    throw new AppError('CONFIG_INVALID', { message: `The name is missing.\n${USAGE}` });
  }
  const flags = readFlags(argv.slice(1), { ...CLIENT_FLAGS, reason: { type: 'string' } });
  return { subject, flags };
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
