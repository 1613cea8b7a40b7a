import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readJsonWithin } from '../../domain/common/bounded-bytes.ts';
import { AppError } from '../../domain/common/error.ts';
import { tryParseJson } from '../../domain/common/json.ts';
import { trimEndChars } from '../../domain/common/text.ts';
import { PublicEventShape } from '../../domain/event/catalog.ts';
import { Wallet } from '../../domain/passport/passport.ts';
import { ReputationLedger } from '../../domain/reputation/ledger.ts';
import { Reputation } from '../../domain/reputation/view.ts';
import { readReady } from '../../process/server/ready-file.ts';
import { readGivenFile } from '../common/read-file.ts';
import type { Input } from '../common/usage.ts';
import type { AUDIT } from '../usage/audit.ts';

const ANSWER_TIMEOUT_MS = 30_000;
/** Events per page. */
const PAGE_SIZE = 1_000;
/** Maximum size of an answer file, in bytes. */
const FILE_BYTES_MAX = 1_048_576;
const EVENTS_PATH = '/v1/events';

const Page = z.object({ events: z.array(PublicEventShape), next: z.int(), size: z.int() });
const Passport = z.looseObject({ wallet: Wallet.nullable() });
const Compared = z.looseObject({
  payload: z.union([
    z.looseObject({ reputation: Reputation }),
    z.looseObject({ settlement_record: Reputation }),
  ]),
});

/**
 * `stoa reputation`: recomputes a track record from the public events alone, and
 * optionally compares it with a signed answer.
 */
export async function reputation(flags: Input<typeof AUDIT.reputation>): Promise<number> {
  const compared = flags.compare === undefined ? undefined : readCompared(flags.compare);
  const origin = resolveOrigin(flags.events, flags.data);
  const wallet = await resolveWallet(flags.subject, origin);
  const asOf = compared?.as_of.events ?? parseCount(flags['as-of']);
  const record = await recompute(wallet, origin, asOf);
  const isSame = compared === undefined || isDeepStrictEqual(record, compared);
  const verdict = compared === undefined ? [] : [isSame ? SAME_RECORD : DIFFERENT_RECORD];
  const lines = flags.json ? [JSON.stringify(record)] : [...verdict, ...formatRecord(record)];
  process.stdout.write(`${lines.join('\n')}\n`);
  return isSame ? 0 : 1;
}

const SAME_RECORD = 'yes: the public events give the same record as the answer.';
const DIFFERENT_RECORD = 'no: the public events give a different record from the answer.';

/** Computes a record from the whole feed, or from its first `asOf` events. */
async function recompute(
  wallet: string,
  origin: string,
  asOf: number | undefined,
): Promise<Reputation> {
  const ledger = new ReputationLedger();
  for (;;) {
    const from = ledger.events;
    const limit = Math.min(PAGE_SIZE, (asOf ?? Number.POSITIVE_INFINITY) - from);
    if (limit <= 0) break;
    const { events } = await fetchJson(`${origin}${EVENTS_PATH}?from=${from}&limit=${limit}`, Page);
    for (const event of events) {
      if (event.seq !== ledger.events) {
        throw feedError(`The feed has a gap: event ${event.seq} follows ${ledger.events} events.`);
      }
      ledger.process(event);
    }
    if (events.length < limit) break;
  }
  if (asOf !== undefined && ledger.events < asOf) {
    throw feedError(`The feed has ${ledger.events} events; you asked for ${asOf}.`);
  }
  return ledger.reputationFor(wallet);
}

async function resolveWallet(subject: string, origin: string): Promise<string> {
  const wallet = Wallet.safeParse(subject);
  if (wallet.success) return wallet.data;
  const url = `${origin}/a2a/passport/${encodeURIComponent(subject)}`;
  const passport = await fetchJson(url, Passport);
  if (passport.wallet !== null) return passport.wallet;
  throw new AppError('PASSPORT_UNKNOWN', {
    message: `${subject.slice(0, 200)} has no wallet yet, so it has no record.`,
  });
}

async function fetchJson<Value>(url: string, shape: z.ZodType<Value>): Promise<Value> {
  let answer: Response;
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    answer = await fetch(url, { headers: { accept: 'application/json' }, signal });
  } catch (cause) {
    throw new AppError('SERVER_UNREACHABLE', { data: { url }, cause });
  }
  const body = readJsonWithin(answer.body);
  const parsed = shape.safeParse(await body.catch(() => undefined));
  if (answer.ok && parsed.success) return parsed.data;
  throw feedError(`${url} returned status ${answer.status} without the expected data.`);
}

function resolveOrigin(events: string | undefined, data: string): string {
  if (events === undefined) {
    const ready = readReady(resolve(data));
    if (ready !== undefined) return ready.base_url;
    throw new AppError('CONFIG_INVALID', {
      message: 'No server runs on this data directory. Pass --events <url>.',
      data: { data_dir: resolve(data) },
    });
  }
  if (!/^https?:\/\//.test(events) || !URL.canParse(events)) {
    throw new AppError('CONFIG_INVALID', {
      message: '--events must be an http address.',
      data: { received: events.slice(0, 200), allowed: 'https://host or https://host/v1/events' },
    });
  }
  return trimEndChars(events, '/').replace(/\/v1\/events$/, '');
}

function parseCount(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^(0|[1-9]\d{0,14})$/.test(text)) return Number(text);
  throw new AppError('CONFIG_INVALID', {
    message: '--as-of must be a number of events.',
    data: { received: text.slice(0, 40) },
  });
}

function readCompared(file: string): Reputation {
  const text = readGivenFile(file, FILE_BYTES_MAX).toString('utf8');
  const parsed = Compared.safeParse(tryParseJson(text));
  if (!parsed.success) {
    throw new AppError('CONFIG_INVALID', {
      message: '--compare must be an answer with a record, such as from reputation_lookup.',
      data: { received: file },
    });
  }
  const { payload } = parsed.data;
  return 'reputation' in payload
    ? Reputation.parse(payload['reputation'])
    : Reputation.parse(payload['settlement_record']);
}

function formatRecord(record: Reputation): readonly string[] {
  const { score, badge, parts, settled_jobs, settled_usd, distinct_counterparties } = record;
  const { disputes, lost_disputes, refunds, excluded, as_of } = record;
  return [
    `score ${score}, badge ${badge} (volume ${parts.volume}, quality ${parts.quality},` +
      ` diversity ${parts.diversity}, chain ${parts.chain})`,
    `${settled_jobs} settled jobs, ${settled_usd} USD, ${distinct_counterparties} counterparties`,
    `${disputes} disputes, ${lost_disputes} lost; ${refunds} refunds`,
    ...excluded.reasons.map(
      ({ reason, jobs, usd }) => `${jobs} jobs (${usd} USD) not counted: ${reason}`,
    ),
    `from the first ${as_of.events} public events`,
  ];
}

function feedError(message: string): AppError {
  return new AppError('EGRESS_FAILED', { message });
}
